"""Members of zip files, also those compressed by zstd, which Python reads only since 3.14."""

from __future__ import annotations

import struct
import zipfile
from typing import IO, Any

_ZSTD = 93  # the method, by the specification of zip files
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
    stream: IO[bytes] = pyarrow.CompressedInputStream(part, "zstd")
    return stream


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
