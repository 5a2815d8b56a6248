"""A table of results: for a terminal, as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

Field = str | int | float

# What LaTeX would take for a command, and how it writes the sign itself.
LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip
LATEX_SIGN = re.compile("[" + re.escape("".join(LATEX)) + "]")
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True)
class Grid:
    """Lines of fields under a heading. A line with two fields only may be a name and a sentence."""

    columns: Sequence[str]
    lines: Sequence[Sequence[Field]]
    title: str = ""
    # Line and column of the fields that stand out.
    best: frozenset[tuple[int, int]] = field(default_factory=frozenset)

    def markdown(self) -> str:
        """The grid as a Markdown table.

        Examples
        --------
        >>> print(Grid(["a", "b"], [[1, 2]], best=frozenset({(0, 1)})).markdown())
        | a | b |
        |---|---|
        | 1 | **2** |
        """
        heading = [f"## {self.title}", ""] if self.title else []
        lines = [list(self.columns), ["---"] * len(self.columns), *self._marked("**", "**")]
        table = ["| " + " | ".join(map(str, line)) + " |" for line in lines]
        table[1] = table[1].replace(" ", "")
        return "\n".join(heading + table)

    def csv(self) -> str:
        """The grid as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.lines)
        return text.getvalue()

    def latex(self) -> str:
        r"""The grid as a tabular of LaTeX with the rules of booktabs.

        Examples
        --------
        >>> print(Grid(["method", "ARI %"], [["lsr", "51.0 ± 0.2"]], best=frozenset({(0, 1)})).latex())
        \begin{tabular}{lr}
        \toprule
        method & ARI \% \\
        \midrule
        lsr & \textbf{51.0 $\pm$ 0.2} \\
        \bottomrule
        \end{tabular}
        """
        width = len(self.columns)
        written = Grid(
            [for_latex(name) for name in self.columns],
            [[for_latex(str(each)) for each in line] for line in self.lines],
            best=self.best,
        )
        body = []
        for line in written._marked(r"\textbf{", "}"):
            if len(line) != width:
                # A sentence takes the place of all numbers.
                line = [line[0], rf"\multicolumn{{{width - 1}}}{{l}}{{{line[1]}}}"]
            body.append(" & ".join(line) + r" \\")
        heading = " & ".join(written.columns) + r" \\"
        begin = rf"\begin{{tabular}}{{l{'r' * (width - 1)}}}"
        parts = [begin, r"\toprule", heading, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
        return "\n".join(parts)

    def aligned(self, *, bold: bool = False) -> str:
        """The grid for a terminal; `bold` lets it show the fields that stand out.

        Examples
        --------
        >>> print(Grid(["method", "seconds"], [["lsr", "1.25"], ["esc", "refused"]]).aligned())
        method  seconds
        lsr        1.25
        esc     refused
        """
        lines = [list(map(str, line)) for line in [self.columns, *self.lines]]
        whole = [line for line in lines if len(line) == len(self.columns)]
        widths = [max(map(len, fields)) for fields in zip(*whole, strict=True)]
        widths[0] = max(len(line[0]) for line in lines)
        best = self.best if bold else frozenset()
        return "\n".join(
            _aligned_line(line, widths, {column for row, column in best if row == place})
            for place, line in enumerate(lines, -1)
        )

    def _marked(self, before: str, after: str) -> list[list[str]]:
        return [
            [
                f"{before}{each}{after}" if (row, column) in self.best else str(each)
                for column, each in enumerate(line)
            ]
            for row, line in enumerate(self.lines)
        ]


def for_latex(text: str) -> str:
    r"""Text that LaTeX shows as it is.

    Examples
    --------
    >>> print(for_latex("n_nonzero=5 & 50 %"))
    n\_nonzero=5 \& 50 \%
    """
    return LATEX_SIGN.sub(lambda sign: LATEX[sign[0]], text)


def _aligned_line(line: list[str], widths: list[int], best: set[int]) -> str:
    if len(line) != len(widths):
        return f"{line[0].ljust(widths[0])}  {line[1]}"
    fields = [line[0].ljust(widths[0])]
    fields += [each.rjust(width) for each, width in zip(line[1:], widths[1:], strict=True)]
    shown = [f"{BOLD}{each}{PLAIN}" if column in best else each for column, each in enumerate(fields)]
    return "  ".join(shown)
