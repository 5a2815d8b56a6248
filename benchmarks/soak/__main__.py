"""`make soak`: fits that are killed at every point of the block writer and at random moments; drawn inputs.

python -m benchmarks.soak [number of kills] [number of drawn inputs]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.soak.kills import ANYTIME, N_POINTS, POINTS, WORKERS, Outcome, Soak, kills
from benchmarks.speed.machine import bandwidth, description, gemm_rate

COLUMNS = (
    "killed",
    "times",
    "other results",
    "blocks lost, at most",
    "finished blocks solved again",
    "partial files left",
)
DRAWN = Path("tests") / "methods" / "test_any_input.py"
RESULTS = Path(__file__).parents[2] / "docs" / "results" / "soak.md"


def table(outcomes: dict[str, list[Outcome]], seconds: float, command: str) -> str:
    """Markdown with the origin of the figures above them."""
    count = sum(map(len, outcomes.values()))
    head = [
        "# Killed and resumed",
        "",
        f"{count} fits of S3COMP-C to {N_POINTS} points ({N_POINTS // 512} blocks, {WORKERS} threads, with a "
        f"work directory) were ended by SIGKILL and started again: `{command}`. A result is the same if all "
        "blocks of coefficients and all labels have the hash of a fit that nobody disturbed.",
        "",
        f"{description()}, {gemm_rate() / 1e9:.0f} GFLOP/s, {bandwidth() / 1e9:.0f} GB/s; {seconds:.0f} s.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    everything = [outcome for group in outcomes.values() for outcome in group]
    rows = [_row(where, group) for where, group in outcomes.items() if group]
    return "\n".join([*head, *rows, _row("all", everything), ""])


def drawn_inputs(count: int) -> tuple[str, bool]:
    """What became of so many fits with drawn parameters and points, and whether all went well."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", str(DRAWN)],
        env=os.environ | {"SUBSPAN_CASES": str(count)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    failed = re.search(r"(\d+) failed", done.stdout)
    text = (
        f"{count} fits of all methods with drawn parameters and points (`{DRAWN}`): labels or one sentence "
        f"for all but those of {failed[1] if failed else 0} methods; {time.monotonic() - start:.0f} s.\n"
    )
    return text, done.returncode == 0


def _row(where: str, group: list[Outcome]) -> str:
    figures = (
        len(group),
        sum(not outcome.same for outcome in group),
        max(outcome.lost for outcome in group),
        sum(outcome.needless for outcome in group),
        sum(outcome.partial_files for outcome in group),
    )
    return f"| {where} | {' | '.join(map(str, figures))} |"


def main() -> None:
    """Kill and draw as often as the command line says, 200 and 5000 times by default."""
    given = [int(text) for text in sys.argv[1:]]
    count, n_drawn = (*given, *(200, 5000)[len(given) :])
    outcomes: dict[str, list[Outcome]] = {where: [] for where in (*POINTS, ANYTIME)}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder))
        for number, kill in enumerate(kills(count), 1):
            outcomes[kill.where].append(soak.try_out(kill))
            if number % 20 == 0:
                print(
                    f"{number} of {count} kills, {time.monotonic() - start:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
    text = table(outcomes, time.monotonic() - start, f"python -m benchmarks.soak {count} {n_drawn}")
    drawn, sound = drawn_inputs(n_drawn)
    text = f"{text}\n{drawn}"
    print(text)
    RESULTS.write_text(text)
    everything = [outcome for group in outcomes.values() for outcome in group]
    sys.exit(
        not sound or any(not o.same or o.lost > WORKERS or o.needless or o.partial_files for o in everything)
    )


if __name__ == "__main__":
    main()
