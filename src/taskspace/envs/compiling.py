"""Compiled functions that are built from parts and cached on disk.

Numba's cache key covers the source of the function alone. A kernel that closes over an
environment's `step` is therefore never found again, and one that calls a helper in another file is
not compiled again when the helper changes. Here the key is a fingerprint of every source file that
a kernel can reach, so a kernel is compiled once and is never out of date.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

_PACKAGE = Path(__file__).resolve().parent.parent
_KERNEL_FOLDERS = ("envs", "rollouts")


class _FingerprintCache(FunctionCache):  # type: ignore[misc]
    """Numba's disk cache, keyed by the fingerprint instead of the pickled closure."""

    def __init__(self, function: Callable[..., Any], fingerprint: str) -> None:
        super().__init__(function)
        self._fingerprint = fingerprint

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._fingerprint)


@functools.cache
def _package_fingerprint() -> bytes:
    sources = sorted(p for folder in _KERNEL_FOLDERS for p in (_PACKAGE / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).digest()


def _fingerprint(parts: tuple[Any, ...]) -> str:
    digest = hashlib.sha256(_package_fingerprint())
    for part in parts:
        if part is None or isinstance(part, int):
            digest.update(repr(part).encode())
            continue
        function = getattr(part, "py_func", part)
        digest.update(f"{function.__module__}.{function.__qualname__}".encode())
        digest.update(Path(inspect.getfile(function)).read_bytes())
    return digest.hexdigest()


@functools.cache
def build(factory: Callable[..., Callable[..., Any]], *parts: Any) -> Any:
    """Compile `factory(*parts)`, a function that may call the compiled functions `parts`.

    Parts without a source file, e.g. from a notebook, are compiled again in each process.
    """
    function = factory(*parts)
    kernel = njit(nogil=True, error_model="numpy", forceinline=True)(function)
    try:
        leaves = tuple(leaf for part in parts for leaf in getattr(part, "parts", (part,)))
        kernel._cache = _FingerprintCache(function, _fingerprint((factory, *leaves)))
    except (OSError, TypeError, RuntimeError):
        return kernel  # not cached: there is no source file, or no folder to write to
    kernel.parts = leaves
    return kernel
