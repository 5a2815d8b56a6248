"""The curve of docs/large-data.md, from benchmarks/results/scale_growth.md.

python -m benchmarks.scale_figure
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from subspan.plotting.style import COLOURS

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "benchmarks" / "results" / "scale_growth.md"
PICTURE = ROOT / "docs" / "images" / "scale.png"


def read_table(path: Path) -> dict[str, list[str]]:
    """Columns of the Markdown table in a file."""
    lines = [
        line.strip("| \n").split(" | ") for line in path.read_text().splitlines() if line.startswith("|")
    ]
    names, _, *rows = lines
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def main() -> None:
    """Draw time by stage and memory over the number of points."""
    columns = read_table(TABLE)
    n = [float(value) for value in columns["N"]]
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    time, memory = figure.subplots(1, 2)
    for stage, colour, marker in zip(
        ("representation", "embedding", "labeling"), COLOURS[1:], "osD", strict=False
    ):
        seconds = [float(value) for value in columns[f"{stage}, s"]]
        time.loglog(n, seconds, color=colour, marker=marker, label=stage)
    time.set(xlabel="points", ylabel="seconds", title="Time on two cores", ylim=(0.2, None))
    time.legend(loc="lower right")
    for name, colour, marker in (("peak, MB", COLOURS[4], "o"), ("planned, MB", COLOURS[5], "s")):
        gigabytes = [float(value) / 1000 for value in columns[name]]
        memory.semilogx(n, gigabytes, color=colour, marker=marker, label=name.partition(",")[0])
    memory.set(xlabel="points", ylabel="GB", title="Memory of the process", ylim=(0, None))
    memory.legend(loc="lower right")
    for axes in (time, memory):
        axes.set_xticks(n, [f"{points / 1000:,.0f} 000".replace(",", " ") for points in n])
        axes.minorticks_off()
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
