"""What remains of a fit: it labels new rows, is kept in a file, and tells what the clusters are."""

from __future__ import annotations

from subspan.model.bases import ClusterSubspace
from subspan.model.remains import Model
from subspan.model.storing import load_model as load

__all__ = ["ClusterSubspace", "Model", "load"]
