"""Fitted models as folders: settings in JSON, weights in safetensors, no pickle."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace._version import __version__
from taskspace.files import (
    check_checksum,
    check_format,
    explain_errors,
    put_on_disk,
    with_checksum,
    write_json,
)

_WEIGHTS = "weights.safetensors"
_DIGEST = "weights_sha256"  # its key in the settings
_INNER_DIGEST = "inner_sha256"  # that of the folder of the other model


@dataclass(frozen=True)
class ModelFolder:
    """The format of the folder of one type of model."""

    noun: str  # what messages call the model
    file: str  # the name of the settings file
    version: int
    inner: str | None = None  # the name of the folder of another model that this one may contain

    @property
    def format(self) -> str:
        """The name of the format in the settings."""
        return f"taskspace {self.noun}"

    def save(
        self,
        folder: str | os.PathLike[str],
        settings: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        save_inner: Callable[[Path], None] | None = None,
    ) -> None:
        """Write the folder atomically; an existing model of the same format is replaced."""
        from safetensors.numpy import save

        target = checks.path(
            folder, "the folder"
        ).resolve()  # the target of a link, not the link itself
        if target.exists() and not self._may_replace(target):
            raise ValueError(
                f"{target} already exists and is not {self._a_noun()}, or contains other files too;"
                " choose another folder"
            )
        weights = save({name: np.asarray(value, order="C") for name, value in arrays.items()})
        header = {"format": self.format, "version": self.version, "taskspace": __version__}
        saved = {**header, **settings, _DIGEST: hashlib.sha256(weights).hexdigest()}
        with explain_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(tempfile.mkdtemp(prefix=".taskspace-", dir=target.parent))
            try:
                new, old = temporary / "new", temporary / "old"
                new.mkdir()
                if save_inner is not None and self.inner is not None:
                    save_inner(new / self.inner)
                    saved[_INNER_DIGEST] = _digest_of_folder(new / self.inner)
                write_json(with_checksum(saved), new / self.file)
                (new / _WEIGHTS).write_bytes(weights)
                for file in (self.file, _WEIGHTS):
                    put_on_disk(new / file)
                if target.exists():
                    target.replace(old)
                new.replace(target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)

    def load_settings(self, folder: str | os.PathLike[str]) -> dict[str, Any]:
        """Read the settings of a folder in this format."""
        source = checks.path(folder, "the folder")
        if not (source / self.file).is_file():
            raise FileNotFoundError(f"there is no {self.noun} in {source}; {self.file} is missing")
        try:
            settings = json.loads((source / self.file).read_text(encoding="utf-8"))
            kind, version = settings.get("format"), settings.get("version")
        except (ValueError, AttributeError, RecursionError) as error:
            raise self.damaged(folder, f"{self.file} is not valid JSON") from error
        check_format(source, (kind, version), (self.format, self.version))
        try:
            return check_checksum(settings)
        except ValueError as error:
            raise self.damaged(folder, f"{self.file}: {error}") from error

    def load_arrays(
        self, folder: str | os.PathLike[str], settings: Mapping[str, Any]
    ) -> dict[str, NDArray[Any]]:
        """Read the weights that belong to these settings."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            weights = (Path(folder) / _WEIGHTS).read_bytes()
        except OSError as error:
            raise self.damaged(folder, f"{_WEIGHTS} cannot be read") from error
        found = hashlib.sha256(weights).hexdigest()
        if settings.get(_DIGEST, found) != found:  # older folders have none
            raise self.damaged(folder, f"{_WEIGHTS}: its checksum does not match")
        try:
            arrays: dict[str, NDArray[Any]] = load(weights)
            return arrays
        except (ValueError, SafetensorError) as error:
            raise self.damaged(folder, error) from error

    def inner_folder(
        self, folder: str | os.PathLike[str], settings: Mapping[str, Any]
    ) -> Path | None:
        """The folder of the other model, which must be the one that was saved; None if none is."""
        found = None if self.inner is None else Path(folder, self.inner)
        if found is None or not found.is_dir():
            if _INNER_DIGEST in settings:
                raise self.damaged(folder, f"{self.inner} is missing")
            return None
        if settings.get(_INNER_DIGEST, "") not in ("", _digest_of_folder(found)):  # older: none
            raise self.damaged(folder, f"{self.inner} is damaged or belongs to another model")
        return found

    def damaged(self, folder: str | os.PathLike[str], why: str | Exception) -> ValueError:
        """The error to raise if the contents of a folder are damaged."""
        if isinstance(why, str):
            return ValueError(f"the {self.noun} in {folder} is damaged ({why}); save it again")
        return ValueError(
            f"the {self.noun} in {folder} is damaged or was saved by another version of taskspace"
            f" ({type(why).__name__}); fit it again"
        )

    def _may_replace(self, target: Path) -> bool:
        """Whether the folder holds a model in this format and no other files."""
        expected = {self.file, _WEIGHTS, self.inner}
        if not target.is_dir() or {path.name for path in target.iterdir()} - expected:
            return False
        try:
            found = json.loads((target / self.file).read_text())["format"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return bool(found == self.format)

    def _a_noun(self) -> str:
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"


def _digest_of_folder(folder: Path) -> str:
    """A digest of the names and contents of all files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return digest.hexdigest()
