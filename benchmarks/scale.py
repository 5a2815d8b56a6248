"""From a laptop's data to a million points: time, memory seen from outside, and accuracy.

python -m benchmarks.scale [--folder FOLDER] [growth] [budgets] [front_door]

Every run is the program itself in a process of its own, on a file. Memory is the largest resident size that
the system reports for that process; beside it stands the peak that `subspan plan` names beforehand.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from benchmarks.speed.machine import description, gemm_rate
from subspan.metrics import clustering_accuracy

RESULTS = Path(__file__).parent / "results"
STAGES = ("representation", "affinity", "embedding", "labeling")


@dataclass(frozen=True)
class Data:
    """Points near subspaces of dimension 5, as many on each, with noise of a third of their length."""

    n_points: int
    n_features: int
    n_subspaces: int

    def file(self, folder: Path) -> Path:
        """The file with the points, written block by block if it is not there; labels lie beside it."""
        path = folder / f"{self.n_points}x{self.n_features}in{self.n_subspaces}.npy"
        if not path.exists():
            self._write(path)
        return path

    def truth(self) -> np.ndarray:
        return np.random.default_rng(0).permutation(np.arange(self.n_points) % self.n_subspaces)

    def _write(self, path: Path) -> None:
        rng, truth = np.random.default_rng(1), self.truth()
        shape = (self.n_subspaces, self.n_features, 5)
        bases = np.linalg.qr(rng.standard_normal(shape))[0].astype(np.float32)
        partial = path.with_suffix(".part")
        out = open_memmap(partial, "w+", np.float32, (self.n_points, self.n_features))
        for start in range(0, self.n_points, 10_000):
            of_block = bases[truth[start : start + 10_000]]
            rows = np.einsum("nij,nj->ni", of_block, rng.standard_normal((len(of_block), 5), np.float32))
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            noise = rng.standard_normal(rows.shape, np.float32) / np.sqrt(self.n_features)
            out[start : start + 10_000] = rows + 0.3 * noise
        out.flush()
        partial.replace(path)


@dataclass(frozen=True)
class Job:
    """One run of the program."""

    data: Data
    dictionary_size: int
    memory: str | None = None

    def run(self, folder: Path) -> dict[str, object]:
        """Plan, run under watch, and judge."""
        path, labels, work = self.data.file(folder), folder / "labels.npy", folder / "work"
        options = [
            str(path), "-k", str(self.data.n_subspaces), "--method", "s3comp", "--n-nonzero", "5",
            "--n-subproblems", "10", "--dictionary-size", str(self.dictionary_size), "--seed", "0",
            "--damping", "0.5", "--n-components", "none",
        ]  # fmt: skip
        if self.memory:
            options += ["--memory", self.memory, "--work-dir", str(work)]
        planned = json.loads(_program("plan", *options, "--json"))
        start = time.perf_counter()
        facts, peak = _watched("cluster", *options, "--labels", str(labels), "--json", "--quiet")
        seconds = time.perf_counter() - start
        subprocess.run(["rm", "-rf", str(work)], check=True)
        return {
            "N": self.data.n_points,
            "D": self.data.n_features,
            "M": self.dictionary_size,
            "budget": self.memory or "",
            **{f"{stage}, s": facts["stage_seconds"][stage] for stage in STAGES},
            "whole program, s": seconds,
            "peak, MB": peak / 1e6,
            "planned, MB": planned["peak_bytes"] / 1e6,
            "planned / peak": planned["peak_bytes"] / peak,
            "coefficients": planned["coefficients"],
            "8-bit inner products kept": planned["kept"],
            "accuracy": clustering_accuracy(self.data.truth(), np.load(labels)),
        }


def _program(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", "from subspan.cli.main import main; main()", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def _watched(*arguments: str) -> tuple[dict, int]:
    """What the program prints, and the largest resident size that the system saw of it."""
    child = subprocess.Popen(
        [sys.executable, "-c", "from subspan.cli.main import main; main()", *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )
    peak = 0
    while child.poll() is None:
        peak = max(peak, _high_water(child.pid))
        time.sleep(0.05)
    printed, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {child.returncode}")
    return json.loads(printed), peak


def _high_water(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) * 1024 if lines else 0


def table(title: str, rows: list[dict[str, object]], remarks: list[str]) -> str:
    """Markdown with the origin of the figures above them."""
    names = list(rows[0])
    lines = [[_shown(row[name]) for name in names] for row in rows]
    shown = [f"| {' | '.join(line)} |" for line in (names, ["---"] * len(names), *lines)]
    return "\n".join([f"# {title}", "", description(), "", *shown, "", *remarks, ""])


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def growth(folder: Path) -> str:
    """Time and memory from 125 000 to 1 000 000 points."""
    sizes = [125_000, 250_000, 500_000, 1_000_000]
    rate = gemm_rate()
    rows = [Job(Data(n, 100, 50), 5000).run(folder) for n in sizes]
    whole = [sum(float(str(row[f"{stage}, s"])) for stage in STAGES) for row in rows]
    exponent = np.polyfit(np.log(sizes), np.log(whole), 1)[0]
    remarks = [
        f"Growth exponent of all stages together: {exponent:.3f} (asked: at most 1.1).",
        f"A large product in float32 ran at {rate / 1e9:.0f} GFlop/s beforehand.",
    ]
    return table("A million points, and how cost grows on the way", rows, remarks)


def budgets(folder: Path) -> str:
    """Peaks of memory under budgets."""
    jobs = [
        Job(Data(100_000, 500, 20), 1000, "512MB"),
        Job(Data(100_000, 500, 50), 1000, "550MB"),
        Job(Data(100_000, 500, 20), 2000, "1GB"),
        Job(Data(1_000_000, 100, 50), 5000, "2GB"),
    ]
    rows = [job.run(folder) for job in jobs]
    return table("Memory under a budget, seen from outside", rows, [])


def front_door(folder: Path) -> str:
    """The front door: its members see a sample, and all points get labels."""
    data, labels = Data(1_000_000, 100, 50), folder / "labels.npy"
    options = [str(data.file(folder)), "-k", "50", "--seed", "0", "--labels", str(labels)]
    start = time.perf_counter()
    facts, peak = _watched("cluster", *options, "--json", "--quiet")
    row = {
        "N": data.n_points,
        "D": data.n_features,
        **{f"{stage}, s": facts["stage_seconds"][stage] for stage in STAGES},
        "whole program, s": time.perf_counter() - start,
        "peak, MB": peak / 1e6,
        "accuracy": clustering_accuracy(data.truth(), np.load(labels)),
    }
    return table("The front door on a million points", [row], [])


def main() -> None:
    """Run what is named, or all."""
    parser = ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path("build/scale"))
    parser.add_argument("what", nargs="*", default=["growth", "budgets"])
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.what:
        text = {"growth": growth, "budgets": budgets, "front_door": front_door}[name](arguments.folder)
        (RESULTS / f"scale_{name}.md").write_text(text)
        print(text, flush=True)


if __name__ == "__main__":
    main()
