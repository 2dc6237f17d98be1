"""Levels of intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.applications.intervals import check_level


@pytest.mark.parametrize("interval", ["0.9", True, 1, 0.0, None, [0.9], np.nan, 0.9j])
def test_what_is_no_level_is_refused(interval: Any) -> None:
    with pytest.raises(ValueError, match=r"^interval .*0\.9"):
        check_level(interval)
