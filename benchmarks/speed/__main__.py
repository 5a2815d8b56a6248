"""`make bench`: every benchmark in a process of its own, printed and written as a table.

python -m benchmarks.speed [name ...]
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.speed.machine import description

NAMES = (
    "startup",
    "representation",
    "spectral",
    "linear",
    "mnist_size",
    "exemplars",
    "elastic_net",
    "overhead",
)
RESULTS = Path(__file__).parents[1] / "results"
CHILD = "import json, sys; from benchmarks.speed.{0} import run; print(json.dumps(run()))"


def measure(name: str) -> dict[str, float]:
    """Figures of one benchmark, from a fresh process so that its peak of memory is its own."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD.format(name)], check=True, stdout=subprocess.PIPE, text=True
    )
    figures: dict[str, float] = json.loads(child.stdout.splitlines()[-1])
    return figures


def table(name: str, figures: dict[str, float]) -> str:
    """Markdown with the origin of the figures above them."""
    title = (importlib.import_module(f"benchmarks.speed.{name}").__doc__ or "").strip()
    rows = [f"| {label} | {value:.4g} |" for label, value in figures.items()]
    return "\n".join(
        [f"# {title}", "", f"{description()}", "", "| figure | value |", "|---|---:|", *rows, ""]
    )


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    RESULTS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        text = table(name, measure(name))
        (RESULTS / f"{name}.md").write_text(text)
        print(text, flush=True)


if __name__ == "__main__":
    main()
