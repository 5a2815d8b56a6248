"""The parts of the page, in the order in which they are read."""
