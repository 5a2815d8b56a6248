"""What tests and the examples in docstrings share."""

import os

# Figures stay in memory: no window opens, with or without a screen.
os.environ.setdefault("MPLBACKEND", "Agg")
