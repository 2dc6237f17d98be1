"""`python -m taskspace.cli` is `taskspace`."""

import sys

from taskspace.cli import main

sys.exit(main())
