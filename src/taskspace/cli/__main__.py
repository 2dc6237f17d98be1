"""Makes `python -m taskspace.cli` equivalent to `taskspace`."""

import sys

from taskspace.cli import main

sys.exit(main())
