"""Features of images, and their cache on disk."""

from subspan.features.cache import cached
from subspan.features.gradients import hog
from subspan.features.principal import pca
from subspan.features.scattering_transform import scattering

__all__ = ["cached", "hog", "pca", "scattering"]
