"""Stage 4: labels from the embedding, for every point, numbered by their first point."""

from subspan.labeling.attach import attach_left_out
from subspan.labeling.kmeans import label_embedding
from subspan.labeling.numbering import canonical_labels

__all__ = ["attach_left_out", "canonical_labels", "label_embedding"]
