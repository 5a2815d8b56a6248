"""Stage 1: every point as a combination of others. Plain functions; methods put them together."""
