"""A fitted model as a folder: settings in JSON, tensors in safetensors, nothing pickled."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from taskspace._version import __version__
from taskspace.files import check_format

FORMAT, FORMAT_VERSION = "taskspace success model", 1
_SETTINGS, _WEIGHTS = "success-model.json", "weights.safetensors"


def save(
    folder: str | os.PathLike[str], settings: dict[str, Any], tensors: dict[str, torch.Tensor]
) -> None:
    """Write the folder, all or nothing; an older one of the same name is replaced."""
    target = Path(folder)
    if target.exists() and not (target / _SETTINGS).is_file():
        raise ValueError(
            f"{target} is there already and is not a success model; choose another folder"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    header = {"format": FORMAT, "version": FORMAT_VERSION, "taskspace": __version__}
    temporary = Path(tempfile.mkdtemp(prefix=".taskspace-", dir=target.parent))
    try:
        new, old = temporary / "new", temporary / "old"
        new.mkdir()
        (new / _SETTINGS).write_text(json.dumps({**header, **settings}, indent=2))
        save_file({name: value.contiguous() for name, value in tensors.items()}, new / _WEIGHTS)
        (new / _WEIGHTS).chmod(0o644)  # made for the owner's eyes only
        if target.exists():
            target.replace(old)
        new.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def load(folder: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Read the settings and the tensors back."""
    source = Path(folder)
    if not (source / _SETTINGS).is_file():
        raise FileNotFoundError(f"there is no success model in {source}: {_SETTINGS} is missing")
    try:
        settings = json.loads((source / _SETTINGS).read_text())
        kind, version = settings.get("format"), settings.get("version")
    except (ValueError, AttributeError) as error:
        raise ValueError(f"{source / _SETTINGS} is damaged; expected JSON") from error
    check_format(source, (kind, version), (FORMAT, FORMAT_VERSION))
    try:
        return settings, load_file(source / _WEIGHTS)
    except (OSError, ValueError, SafetensorError) as error:
        raise damaged(source, error) from error


def damaged(folder: str | os.PathLike[str], error: Exception) -> ValueError:
    """What to raise where a folder does not hold what it should."""
    return ValueError(
        f"the success model in {folder} is damaged ({type(error).__name__}); save it again"
    )
