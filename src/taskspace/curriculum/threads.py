"""One thread for small matrices: faster, and bit-identical on any number of cores."""

from __future__ import annotations

import functools
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> Any:
    """A context in which matrix products use one thread."""
    return _controller().limit(limits=1)


@functools.cache
def _controller() -> ThreadpoolController:
    """Looking for the libraries takes milliseconds, so it is done once."""
    return ThreadpoolController()
