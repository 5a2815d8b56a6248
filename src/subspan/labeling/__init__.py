"""Stage 4: labels from the embedding, for every point, numbered by their first point."""

from subspan.labeling.attach import attach_left_out
from subspan.labeling.kmeans import canonical_labels, label_embedding

__all__ = ["attach_left_out", "canonical_labels", "label_embedding"]
