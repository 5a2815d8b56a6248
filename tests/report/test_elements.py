from __future__ import annotations

import pytest
from pages import HOSTILE, parse

from subspan.report.elements import h, name_of, short


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_and_attributes_stay_what_they_are(text):
    page = str(h("p", text, title=text, data_x=text))
    page.encode("utf-8")
    [paragraph] = parse(page).children
    assert paragraph.children == []
    assert list(paragraph.attributes) == ["title", "data-x"]
    if text.isprintable() and text.isascii():
        assert paragraph.text == paragraph.attributes["title"] == text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_names_are_short_and_run_in_one_direction(text):
    shown = short(text)
    assert len(shown) <= 80
    assert not set(shown) & set("\n\r\t\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert name_of(text).tag == "bdi"


def test_missing_attributes_and_children_are_left_out():
    element = h("div", None, [h("b", 1), [None, "x"]], hidden=True, id=None, open=False)
    assert str(element) == '<div hidden=""><b>1</b>x</div>'


def test_script_and_style_hold_no_end_of_themselves():
    with pytest.raises(AssertionError):
        str(h("script", "x = '</script>'"))
    assert str(h("style", "a > b {}")) == "<style>a > b {}</style>"


def test_names_of_attributes_are_ours():
    with pytest.raises(AssertionError):
        h("p", **{"x onload": "alert(1)"})
