"""Several methods on the same rows, side by side."""
