"""
Handwritten digits
==================

scikit-learn brings 1797 handwritten digits of 8 x 8 pixels: small enough to be everybody's first data
set. A digit written a little thicker or a little more slanted is nearly a linear combination of a few
other ways to write it, so each digit lies near a subspace of some ten dimensions.
"""

# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from subspan import S3COMPC
from subspan.metrics import clustering_accuracy
from subspan.plotting import ConfusionDisplay, RepresentativesDisplay

X, y = load_digits(return_X_y=True)
X = normalize(X)

model = S3COMPC(n_clusters=10, random_state=0).fit(X)
accuracy = clustering_accuracy(y, model.labels_)
by_k_means = KMeans(10, n_init=3, random_state=0).fit_predict(X)
accuracy_k_means = clustering_accuracy(y, by_k_means)
print(f"S3COMP-C {accuracy:.3f}, k-means {accuracy_k_means:.3f}")

# %%
# Which digit is in which cluster. Each digit has a cluster of its own. About one nine in five is elsewhere,
# nearly half of these with the ones, and some of the fives are among the nines.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
ConfusionDisplay.from_estimator(model, y, ax=left)
ConfusionDisplay.from_predictions(y, by_k_means, ax=right)
left.set_title(f"S3COMP-C: {accuracy:.3f}")
right.set_title(f"k-means: {accuracy_k_means:.3f}")
plt.show()

# %%
# The images with the strongest links inside their own cluster, which stand for it.

RepresentativesDisplay.from_estimator(model, X, image_shape=(8, 8))
plt.show()
