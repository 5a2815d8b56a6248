"""Make the sessions of docs/command-line.md again, in a real terminal (takes tmux).

python docs/transcripts.py [NAME ...]

A session stands in the page behind a comment with its name.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
PAGE = HERE / "command-line.md"
sys.path.insert(0, str(HERE.parent / "tests"))

from terminal import Terminal  # noqa: E402 (found through the line above)

from subspan.datasets import make_union_of_subspaces  # noqa: E402

# Long enough to be interrupted: the pursuit goes over all points again and again.
LONG = "subspan cluster large.npy -k 4 --tol 0 --max-iter 20 --work-dir work --labels labels.csv"


def write_data(folder: Path) -> None:
    """The files that the commands name."""
    X, y = load_digits(return_X_y=True)
    np.savez(folder / "digits.npz", X=X, y=y)
    X, _ = make_union_of_subspaces(4, 3, 30, 1500, noise=0.1, random_state=0)
    np.save(folder / "large.npy", X)
    # As large as its name says, but never written to: a plan reads no rows.
    np.lib.format.open_memmap(folder / "million.npy", "w+", np.float32, (1_000_000, 100))
    rng = np.random.default_rng(0)
    lines = [f"{'rose' if i % 2 else 'lily'},{a:.2f},{b:.2f}" for i, (a, b) in enumerate(rng.random((20, 2)))]
    (folder / "plants.csv").write_text("\n".join(["name,width,height", *lines]) + "\n")
    lines[6] = "rose,,0.40"
    (folder / "gaps.csv").write_text("\n".join(["name,width,height", *lines]) + "\n")


def in_turn(*commands: str) -> Callable[[Terminal], str]:
    """Commands, one after the other."""
    return lambda terminal: "\n".join(terminal.run(command) for command in commands)


def interrupted(terminal: Terminal) -> str:
    """A run that is stopped with Ctrl-C after its first blocks, and goes on when it is started again."""
    work = terminal.folder / "work"
    terminal.type(LONG)
    terminal.wait(lambda: len(list(work.glob("block-????????"))) >= 3 and "blocks" in terminal.screen())
    seen = terminal.screen().rstrip()
    terminal.press("C-c")
    stopped = terminal.shown()
    terminal.type(LONG)
    terminal.wait(lambda: "blocks" in terminal.screen())
    again = terminal.screen().rstrip()
    return "\n".join([seen, "", "(Ctrl-C)", "", stopped, again, "", "(at the end)", "", terminal.shown()])


SESSIONS: dict[str, Callable[[Terminal], str]] = {
    "cluster-auto": in_turn(
        "subspan cluster digits.npz --key X -k 10 --labels labels.csv",
        "subspan evaluate labels.csv digits.npz --truth-column y",
    ),
    "cluster": in_turn(
        "subspan cluster digits.npz --key X -k 10 --n-nonzero 8 --labels labels.csv",
        "subspan evaluate labels.csv digits.npz --truth-column y",
    ),
    "choose": in_turn("subspan choose digits.npz --key X -k 10"),
    "compare": in_turn(
        "subspan compare digits.npz --key X --truth digits.npz:y --set n_nonzero=8 --trials 2",
    ),
    "compare-blind": in_turn(
        "subspan compare digits.npz --key X -k 10 --methods s3comp-c,ensc,esc --trials 2",
    ),
    "plan": in_turn(
        "subspan plan million.npy -k 50 --method s3comp --dictionary-size 5000 --memory 2GB --work-dir work",
        "subspan plan million.npy -k 50 --method s3comp --dictionary-size 5000 --memory 400MB",
    ),
    "interrupted": interrupted,
    "mistakes": in_turn(
        "subspan cluster plants.csv -k 2",
        "subspan cluster plants.csv -k 2 --columns width,hight",
        "subspan cluster gaps.csv -k 2 --columns width,height",
        "subspan cluster digits.npz -k 2000 --key X",
        "subspan cluster digits.npz -k 10 --key X --labels labels.xlsx",
    ),
}


def main(names: list[str]) -> None:
    """Hold the sessions and put what was shown into the page."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder))
        with Terminal(Path(folder)) as terminal:
            for name in names or SESSIONS:
                shown = SESSIONS[name](terminal)
                pattern = re.compile(
                    rf"(<!-- session: {name} -->\n```text\n).*?(^```$)", re.DOTALL | re.MULTILINE
                )
                text, n_places = pattern.subn(
                    lambda match, shown=shown: f"{match[1]}{shown}\n{match[2]}", text
                )
                if n_places != 1:
                    sys.exit(f"{PAGE}: has {n_places} places for the session {name}.")
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
