"""A page about a clustering: one HTML file with its verdict, plots, clusters and parameters."""

from subspan.report.material import Origin
from subspan.report.writing import write_report

__all__ = ["Origin", "write_report"]
