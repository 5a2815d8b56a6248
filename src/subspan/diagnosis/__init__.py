"""A look at the data before any fit: what may harm a clustering, and what helps."""

from subspan.diagnosis.looking import DataSign, Diagnosis, diagnose

__all__ = ["DataSign", "Diagnosis", "diagnose"]
