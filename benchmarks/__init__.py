"""Measurements. As a package it comes before the `benchmarks` that old releases of pyarrow install."""
