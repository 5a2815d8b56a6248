"""The labels as a file in the page."""

from __future__ import annotations

import base64
import csv
import gzip
import io
from collections.abc import Sequence

from subspan.report.elements import Element, h
from subspan.report.material import Material

# A file up to this size is kept as it is. A larger one is compressed, without names if it stays larger than
# the second number, and left out if even that is too much.
PLAIN_BYTES = 50_000
MOST_BYTES = 400_000


def labels_link(material: Material) -> Element | None:
    """A link that saves the labels as CSV, compressed if they are many; None if they would fill the page."""
    for names in (material.names, None):
        content = _csv(material, names)
        if len(content) <= PLAIN_BYTES:
            return _link("labels.csv", "text/csv", content)
        # Without a time in it, so that equal pages are equal files.
        packed = gzip.compress(content, mtime=0)
        if len(packed) <= MOST_BYTES:
            return _link("labels.csv.gz", "application/gzip", packed)
    return None


def _csv(material: Material, names: Sequence[str] | None) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows, labels = range(len(material.labels)), material.labels.tolist()
    if names is None:
        writer.writerow(["row", "label"])
        writer.writerows(zip(rows, labels, strict=True))
    else:
        writer.writerow(["name", "row", "label"])
        writer.writerows(zip(map(str, names), rows, labels, strict=True))
    # Half of a surrogate pair has no place in a file.
    return text.getvalue().encode("utf-8", "replace")


def _link(name: str, kind: str, content: bytes) -> Element:
    address = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    return h("p", h("a", f"Save the labels ({name})", href=address, download=name))
