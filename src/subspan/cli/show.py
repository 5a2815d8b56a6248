"""`subspan show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from subspan.cli.completing import files
from subspan.cli.options import inert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from subspan.model import Model


@click.command()
@click.argument("model", metavar="MODEL", shell_complete=files)
def show(model: str) -> None:
    """Tell what is in a kept MODEL.

    That is where it comes from, and the subspaces of its clusters.

    \b
    Example:
      subspan show faces.subspan
    """  # noqa: D301 (click needs the character itself)
    from subspan.model import load

    loaded = load(model)
    click.echo(inert("\n".join([*_origin(loaded, Path(model).stat().st_size), "", *_clusters(loaded)])))


def _origin(model: Model, n_bytes: int) -> Iterator[str]:
    from subspan.sources.faults import size

    habits, done = model.habits, model.preparation
    parameters = ", ".join(f"{name}={value}" for name, value in model.facts["parameters"].items())
    yield f"{model.facts['method']} of subspan {model.facts['version']}, {size(n_bytes)}"
    yield f"fitted to {len(model.labels_)} rows with {model.n_features} columns; {len(model.atoms)} atoms"
    steps = {
        f"missing: {done.missing}": done.missing != "raise",
        "centred": done.shift is not None,
        "standardised": done.scale is not None,
        f"{model.atoms.shape[1]} principal directions": done.axes is not None,
        "unit norm": habits.normalize,
    }
    yield f"preparation: {', '.join(step for step, is_done in steps.items() if is_done) or 'none'}"
    yield f"rule of prediction: {habits.rule}"
    yield f"parameters: {parameters}"


def _clusters(model: Model) -> Iterator[str]:
    sizes = {label: int((model.labels_ == label).sum()) for label in range(model.n_clusters_)}
    yield "cluster     rows dimension  energy  residual  to next  typical rows"
    for label, each in enumerate(model.subspaces_):
        rows = "" if each.representatives is None else ", ".join(map(str, each.representatives[:3]))
        numbers = f"{each.energy:7.3f} {each.residual:9.4f} {each.next_residual:8.4f}"
        yield f"{label:7d} {sizes[label]:8d} {each.dimension:9d} {numbers}  {rows}"
