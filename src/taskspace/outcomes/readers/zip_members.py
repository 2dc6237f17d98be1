"""Members of zip files, also those compressed by zstd, which Python reads only since 3.14."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import IO, Any

_ZSTD = 93  # the method, by the specification of zip files
_BUFFER = 1 << 18  # bytes
_LOCAL = struct.Struct("<4s22xHH")  # signature, and lengths of the name and of the extra field


def open_member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Open a member of a zip file for reading."""
    member = archive.getinfo(name)
    if member.compress_type != _ZSTD:
        return archive.open(member)
    import pyarrow

    if not pyarrow.Codec.is_available("zstd"):
        raise ValueError(
            f"{name} is compressed by zstd, which this pyarrow was built without; write the log as"
            " .json"
        )
    part = pyarrow.PythonFile(_Part(archive, member), mode="r")
    stream = pyarrow.CompressedInputStream(part, "zstd")
    return io.BufferedReader(_Checked(stream, member.CRC), _BUFFER)


class _Checked(io.RawIOBase):
    """Contents whose checksum is compared at their end, as Python does for other methods."""

    def __init__(self, stream: Any, checksum: int) -> None:
        self._stream, self._expected, self._found = stream, checksum, 0

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes."""
        data = self._stream.read(len(buffer))
        self._found = zlib.crc32(data, self._found)
        if not data and self._found != self._expected:
            raise zipfile.BadZipFile("its checksum does not match")
        buffer[: len(data)] = data
        return len(data)


class _Part:
    """The compressed bytes of a member, as a file."""

    closed = False

    def __init__(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        file: Any = archive.fp
        self._file = file
        self._file.seek(member.header_offset)
        signature, name, extra = _LOCAL.unpack(self._file.read(_LOCAL.size))
        if signature != b"PK\3\4":
            raise zipfile.BadZipFile(f"{member.filename} is not where it should be")
        self._at = member.header_offset + _LOCAL.size + name + extra
        self._end = self._at + member.compress_size

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes."""
        left = self._end - self._at
        self._file.seek(self._at)
        found: bytes = self._file.read(left if size < 0 else min(size, left))
        self._at += len(found)
        return found

    def close(self) -> None:
        """Do nothing: the archive owns the file."""
