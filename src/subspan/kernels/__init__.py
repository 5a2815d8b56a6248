"""Compiled loops: arrays in, outputs filled in place; no classes, no input or output, no logging."""
