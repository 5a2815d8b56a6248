"""The page in a real browser: complete, quiet, at home, and in use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import HOSTILE, chromium

from subspan import LSR
from subspan.report import Origin, write_report
from subspan.sources import ArraySource

playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
pytestmark = [
    pytest.mark.skipif(chromium() is None, reason="there is no chromium on this machine"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]
# The table of clusters, not the smaller ones below it.
TABLE = "#clusters > .scroll"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(model, points, tmp_path_factory) -> Path:
    X, y = points
    classes = np.array(["ant", "bee", "cat"])[y]
    path = tmp_path_factory.mktemp("page") / "page.html"
    return model.report(path, X, truth=classes, image_shape=(3, 4))


@pytest.fixture(scope="module")
def hostile_report(model, points, tmp_path_factory) -> Path:
    """All hostile names at once: of the file, the columns, the classes and the rows."""
    X, _ = points
    columns = tuple(f"{j}{text}" for j, text in enumerate(HOSTILE[:12]))
    source = ArraySource(X, "".join(text[:200] for text in HOSTILE), columns)
    origin = Origin(
        command=" ".join(text[:200] for text in HOSTILE), remarks=[text[:500] for text in HOSTILE]
    )
    classes = np.array([f"{text}{row}" for row, text in enumerate(HOSTILE[:25])], dtype=object)
    path = tmp_path_factory.mktemp("hostile") / "page.html"
    names = [f"{HOSTILE[row % 40]}{row}" for row in range(60)]
    return write_report(model, path, source, truth=classes[np.arange(60) % 25], names=names, origin=origin)


class Visit:
    """A page that was opened, and everything that happened to it."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.noise: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.noise.append(message.text))
        self.page.on("pageerror", lambda error: self.noise.append(str(error)))
        self.page.on("dialog", lambda dialog: self.noise.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def check_quiet(self, path: Path) -> None:
        outside = [url for url in self.requests if not url.startswith("data:image/png;base64,")]
        assert self.noise == []
        assert outside == [path.as_uri()]


@pytest.fixture
def visit(browser, report) -> Iterator[Visit]:
    opened = Visit(browser, report, color_scheme="light")
    yield opened
    opened.check_quiet(report)
    opened.context.close()


def test_every_section_is_seen(visit):
    names = ["summary", "clusters", "findings", "truth", "graph", "representation", "members", "again", "run"]
    for name in names:
        assert visit.page.locator(f"section#{name} > h2").is_visible()
    assert visit.page.locator("figure svg").count() == 9
    drawn = visit.page.locator("figure svg").evaluate_all(
        "all => all.map(svg => svg.getBoundingClientRect())"
    )
    assert all(box["width"] > 200 and box["height"] > 100 for box in drawn)
    # Pictures were decoded, and the policy let them through.
    assert visit.page.locator("img").evaluate_all("all => all.every(image => image.naturalWidth === 4)")


def sizes(page: Any) -> list[int]:
    cells = page.locator(f"{TABLE} tbody tr td:nth-child(2)")
    return [int(value) for value in cells.evaluate_all("all => all.map(cell => cell.dataset.value)")]


def test_headings_sort_with_mouse_and_keyboard(visit):
    heading = visit.page.locator(f"{TABLE} thead th").nth(3)
    weights = visit.page.locator(f"{TABLE} tbody tr td:nth-child(4)")
    values = "all => all.map(cell => Number(cell.dataset.value))"
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert weights.evaluate_all(values) == sorted(weights.evaluate_all(values), reverse=True)
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert weights.evaluate_all(values) == sorted(weights.evaluate_all(values))
    # Words are sorted as words, and only one heading has the mark.
    kind = visit.page.locator(f"{TABLE} thead th", has_text="main class")
    kind.get_by_role("button").click()
    assert kind.get_attribute("aria-sort") == "ascending"
    assert heading.get_attribute("aria-sort") is None
    assert visit.page.locator(f"{TABLE} tbody bdi").all_inner_texts() == ["ant", "bee", "cat"]


def test_theme_changes_and_is_remembered(visit):
    background = "getComputedStyle(document.body).backgroundColor"
    before = visit.page.evaluate(background)
    button = visit.page.locator("#theme")
    assert button.inner_text() == "Dark page"
    button.click()
    dark = visit.page.evaluate(background)
    assert button.inner_text() == "Light page"
    assert sum(brightness(dark)) < 150 < 600 < sum(brightness(before))
    visit.page.reload()
    visit.requests.pop(0)
    assert visit.page.evaluate(background) == dark


def brightness(colour: str) -> list[int]:
    return [int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


def test_dark_where_the_system_is_dark(browser, report):
    dark = Visit(browser, report, color_scheme="dark")
    assert sum(brightness(dark.page.evaluate("getComputedStyle(document.body).backgroundColor"))) < 150
    dark.check_quiet(report)
    dark.context.close()


def test_pointing_tells_and_marks_the_cluster(visit):
    bar = visit.page.locator("#sizes .bar").first
    bar.hover()
    assert visit.page.locator("#tip").inner_text() == f"Cluster 0: {sizes(visit.page)[0]} rows"
    visit.page.locator(f"{TABLE} tbody tr").nth(1).hover()
    assert visit.page.locator("#tip").is_hidden()
    assert visit.page.locator(".cloud.chosen").get_attribute("data-cluster") == "1"


def test_keyboard_reaches_the_content_first(visit):
    visit.page.keyboard.press("Tab")
    skip = visit.page.locator("a.skip")
    assert skip.evaluate("link => link === document.activeElement && link.getBoundingClientRect().left >= 0")
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("document.activeElement.id") == "content"


def test_long_names_of_classes_are_seen_whole(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = np.repeat(np.eye(30), 4, axis=0) + 0.01 * rng.standard_normal((120, 30))
    truth = np.repeat([f"photographs of PERSON {j:02d}" for j in range(30)], 4)
    path = LSR(30, random_state=0).fit(X).report(tmp_path / "page.html", X, truth=truth)
    many = Visit(browser, path)
    drawing = many.page.locator("#confusion svg")
    place = "shape => { const box = shape.getBoundingClientRect(); return [box.left, box.right]; }"
    left, _ = drawing.evaluate(place)
    _, label_ends = drawing.locator(".label").last.evaluate(place)
    names = drawing.locator(".tick")
    assert "photogra…ERSON 08" in names.all_text_contents()
    assert left < label_ends < min(names.nth(i).evaluate(place)[0] for i in range(names.count()))
    many.check_quiet(path)
    many.context.close()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out(browser, report, width):
    narrow = Visit(browser, report, viewport={"width": width, "height": 800})
    assert narrow.page.evaluate("document.documentElement.scrollWidth") <= width
    narrow.check_quiet(report)
    narrow.context.close()


def test_paper_has_it_all_in_light(browser, report):
    paper = Visit(browser, report, color_scheme="dark")
    paper.page.emulate_media(media="print")
    assert paper.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert paper.page.locator("nav").is_hidden()
    paper.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert paper.page.locator("details:not([open])").count() == 0
    paper.context.close()


def test_hostile_names_do_nothing(browser, hostile_report):
    attacked = Visit(browser, hostile_report)
    attacked.page.locator(f"{TABLE} thead th button").first.click()
    attacked.page.locator("#theme").click()
    attacked.page.wait_for_timeout(300)
    attacked.check_quiet(hostile_report)
    count = "name => document.querySelectorAll(name).length"
    assert attacked.page.evaluate(count, "script") == 1
    assert attacked.page.evaluate(count, "style") == 1
    assert attacked.page.evaluate(count, "iframe, form, base, link, input, object, embed, template") == 0
    assert attacked.page.evaluate(count, "section") == 11
    assert attacked.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    attacked.context.close()


def test_without_script_the_page_can_be_read(browser, report):
    plain = Visit(browser, report, java_script_enabled=False)
    assert plain.page.locator("section#summary").is_visible()
    assert plain.page.locator("#theme").is_hidden()
    plain.check_quiet(report)
    plain.context.close()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("light", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}),
        ("dark", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
        ("phone", {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"}),
    ],
)
def test_screenshots(browser, report, tmp_path, name, options):
    """Pictures to look at, in the folder that SCREENSHOTS names."""
    shown = Visit(browser, report, **options)
    path = Path(os.environ.get("SCREENSHOTS", tmp_path)) / f"report-{name}.png"
    shown.page.screenshot(path=path, full_page=True)
    shown.context.close()
    assert path.stat().st_size > 50_000
