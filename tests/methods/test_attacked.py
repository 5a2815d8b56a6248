"""A few cases of `benchmarks/attack`: damaged files, models and work directories are answered."""

from __future__ import annotations

import pytest
from benchmarks.attack.cases import KINDS, LABELS, SENTENCE, answer

CASES = {
    "files of eight formats": 80,
    "kept models": 30,
    "work directories": 15,
    "graphs and coefficients": 30,
}


@pytest.mark.parametrize("kind", CASES)
def test_damage_is_answered_by_labels_or_a_sentence(kind: str) -> None:
    assert kind in KINDS
    answers = [answer(kind, number) for number in range(CASES[kind])]
    assert {*answers} <= {LABELS, SENTENCE}
