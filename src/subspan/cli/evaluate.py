"""`subspan evaluate`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from subspan.cli.completing import files
from subspan.handover import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMN_HELP = "Column or array of {}.  [default: the one called label, or the only one]"


@click.command()
@click.argument("labels", shell_complete=files)
@click.argument("truth", shell_complete=files)
@click.option("--labels-column", metavar="NAME", help=COLUMN_HELP.format("LABELS"))
@click.option("--truth-column", metavar="NAME", help=COLUMN_HELP.format("TRUTH"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(
    labels: str, truth: str, labels_column: str | None, truth_column: str | None, as_json: bool
) -> None:
    """Compare the LABELS of a clustering with the TRUTH.

    Both are files with one label for each row: .csv, .npy, .npz or .parquet; classes may be numbers or words.
    One of them may be -, which reads CSV from standard input. The label -1 means "in no cluster".

    \b
    Examples:
      subspan evaluate labels.csv truth.csv
      subspan cluster faces.npz --key X -k 38 | subspan evaluate - faces.npz --truth-column y
    """  # noqa: D301 (click needs the character itself)
    if labels == truth == "-":
        raise click.UsageError("Only one of LABELS and TRUTH can come from standard input.")
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli.labels import read_labels

    found = read_labels(labels, labels_column, "--labels-column NAME")
    true = read_labels(truth, truth_column, "--truth-column NAME")
    if len(found) != len(true):
        raise InputError(f"{labels} has {len(found)} labels, but {truth} has {len(true)}.")
    facts = scores(found, true)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for name in ("accuracy", "nmi", "ari"):
        click.echo(f"{name:<8}  {facts[name]:.4f}")
    for name, sizes in (("clusters", facts["cluster_sizes"]), ("classes", facts["class_sizes"])):
        click.echo(f"{name:<8}  {len(sizes)} of {min(sizes.values())} to {max(sizes.values())} points")
    if facts["unlabelled"]:
        click.echo(f"in none   {facts['unlabelled']} points")


def scores(found: NDArray[Any], true: NDArray[Any]) -> dict[str, Any]:
    """Scores of a clustering, and sizes of its clusters and of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> facts = scores(np.array([1, 1, 0, 1]), np.array(["cat", "cat", "dog", "dog"]))
    >>> facts["accuracy"], facts["cluster_sizes"]
    (0.75, {'0': 1, '1': 3})
    """
    import numpy as np
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    from subspan.metrics import clustering_accuracy

    def sizes(labels: NDArray[Any]) -> dict[str, int]:
        values, counts = np.unique(labels, return_counts=True)
        return dict(zip(map(str, values.tolist()), counts.tolist(), strict=True))

    accuracy = clustering_accuracy(true, found)
    cluster_sizes = sizes(found)
    return {
        "n_points": len(found),
        "accuracy": accuracy,
        "nmi": float(normalized_mutual_info_score(true, found)),
        "ari": float(adjusted_rand_score(true, found)),
        "unlabelled": cluster_sizes.pop("-1", 0),
        "cluster_sizes": cluster_sizes,
        "class_sizes": sizes(true),
    }
