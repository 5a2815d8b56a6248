"""Hostile inputs, thousands of them: how many are answered by labels, by a sentence, or by anything else.

python -m benchmarks.attack [cases of each kind] [number of the first case]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.attack.cases import KINDS, LABELS, SENTENCE
from benchmarks.attack.victim import LIMIT, Victim
from benchmarks.speed.machine import description

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "attack.md"
# A fit of the front door is made of dozens of others.
SHARE = {"front door": 0.03}
DEFAULT = 1000


def answers(count: int, first: int = 0) -> Iterator[tuple[str, int, str]]:
    """Kind, number and answer of every case; two processes work on them."""
    cases = [(kind, n) for kind in KINDS for n in range(first, first + round(count * SHARE.get(kind, 1)))]
    halves = cases[::2], cases[1::2]

    def attack(half: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
        victim = Victim()
        found = []
        for kind, number in half:
            found.append((kind, number, victim.answer(kind, number)))
            if found[-1][2] not in (LABELS, SENTENCE):
                print(*found[-1], file=sys.stderr, flush=True)
        victim.end()
        return found

    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(attack, halves):
            yield from found


def table(found: list[tuple[str, int, str]], seconds: float, command: str) -> str:
    """Markdown: what was tried, and what came back."""
    head = [
        "# Attacked",
        "",
        f"{len(found)} hostile inputs, each made from its number: `{command}`. An answer "
        f"is labels (rows, where a file is only read; of a work "
        "directory, those of a fit that nobody disturbed), or one sentence that says what is wrong. Anything "
        f"else is a fault: another exception, a crash, or no answer in {LIMIT:.0f} s.",
        "",
        f"{description()}; {seconds:.0f} s.",
        "",
        "| attacked | inputs | labels | a sentence | anything else |",
        "|---|---:|---:|---:|---:|",
    ]
    rows = [_row(kind, [answer for what, _, answer in found if what == kind]) for kind in KINDS]
    faults = [f"- {kind}, case {n}: {text}" for kind, n, text in found if text not in (LABELS, SENTENCE)]
    return "\n".join(
        [*head, *rows, _row("all", [text for *_, text in found]), *["", *faults][: len(faults) + 1], ""]
    )


def _row(name: str, texts: list[str]) -> str:
    count = Counter(text if text in (LABELS, SENTENCE) else "else" for text in texts)
    figures = (len(texts), count[LABELS], count[SENTENCE], count["else"])
    return f"| {name} | {' | '.join(map(str, figures))} |"


def main() -> None:
    """Attack as often as the command line says, and keep the table."""
    given = [int(text) for text in sys.argv[1:]]
    count, first = (*given, *(DEFAULT, 0)[len(given) :])
    start = time.monotonic()
    found = list(answers(count, first))
    text = table(found, time.monotonic() - start, f"python -m benchmarks.attack {count} {first}")
    print(text)
    RESULTS.write_text(text)
    sys.exit(any(text not in (LABELS, SENTENCE) for *_, text in found))


if __name__ == "__main__":
    main()
