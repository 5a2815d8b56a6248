"""The built home page in a real browser: everything is there, nothing is asked of the network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import subspan

BUILT = Path(__file__).parents[2] / "build" / "docs"
EXAMPLES = Path(__file__).parents[2] / "examples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="no built pages: make docs"),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open pages with"),
]
OF_THE_BROWSER = "not an origin"
CARDS = [
    "Start in five minutes",
    "User guide",
    "Examples",
    "Which method?",
    "Large data",
    "Can it be trusted?",
]


def opened(page: Path | str, folder: Path, *options: str) -> tuple[str, str, set[str]]:
    """The page as the browser made it, what it wrote on the console, and the addresses it asked for."""
    log = folder / "network.json"
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            "--no-first-run", "--virtual-time-budget=3000", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--enable-logging=stderr",
            *options, "--dump-dom", page if isinstance(page, str) else page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    # The theme tells the console, too, which of its sides it shows.
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line and "[PST]: " not in line]
    events = [event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"]]
    # What the browser asks for itself, its updates for one, has no page behind it.
    asked = {event["url"] for event in events if event.get("initiator", OF_THE_BROWSER) != OF_THE_BROWSER}
    return done.stdout, "\n".join(console), {url for url in asked if re.match(r"(https?|wss?):", url)}


@pytest.mark.parametrize(("setting", "theme"), [("1", "light"), ("0", "dark")])
def test_home_page(tmp_path, setting, theme):
    dom, console, asked = opened(
        BUILT / "index.html", tmp_path, f"--blink-settings=preferredColorScheme={setting}"
    )
    assert f'data-theme="{theme}"' in dom
    assert all(card in dom for card in CARDS)
    assert 'src="_images/digits.png"' in dom
    assert f"subspan {subspan.__version__}</p>" in dom
    assert console == ""
    assert not asked


def test_search_finds_predict(tmp_path):
    dom, _, asked = opened(f"{(BUILT / 'search.html').as_uri()}?q=predict", tmp_path)
    assert "api/subspan.SubspaceClustering.html#subspan.SubspaceClustering.predict" in dom
    assert "new-rows.html" in dom
    assert not asked


def test_formulas_need_no_script(tmp_path):
    dom, console, asked = opened(BUILT / "guide" / "representation.html", tmp_path)
    assert dom.count("<math") > 20
    assert "MathJax" not in dom
    assert console == ""
    assert not asked


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


def test_no_page_is_wider_than_a_phone(browser):
    wider = {}
    page = browser.new_page(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    for path in BUILT.rglob("*.html"):
        page.goto(path.as_uri())
        # The theme lets the article scroll by itself, so that the window is never wider.
        article = page.locator(".bd-article-container")
        if article.count() and (width := article.evaluate("box => box.scrollWidth")) > 390:
            wider[path.name] = width
    page.close()
    assert wider == {}


def test_the_gallery_has_groups_and_pictures_that_can_be_recognised(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((BUILT / "gallery" / "index.html").as_uri())
    groups = ["Kinds of data", "Large data and streams", "How it works"]
    assert [text.strip("#") for text in page.locator("article h2").all_text_contents()] == groups
    thumbnails = page.locator(".sphx-glr-thumbcontainer img")
    thumbnails.last.scroll_into_view_if_needed()
    assert thumbnails.count() == len(list(EXAMPLES.rglob("plot_*.py")))
    shown = thumbnails.evaluate_all("all => all.map(image => [image.naturalWidth, image.clientWidth])")
    assert min(min(widths) for widths in shown) >= 200
    page.close()


def test_the_header_has_links(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((BUILT / "index.html").as_uri())
    links = page.locator("header .navbar-nav a.nav-link").all_inner_texts()
    assert {"Start", "User guide", "Examples", "Five tasks", "Command line", "API"} <= set(links)
    page.close()


def test_a_page_that_asks_is_noticed(tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<img src="https://example.org/picture.png"><script>console.log("said")</script>')
    _, console, asked = opened(page, tmp_path)
    assert "said" in console
    assert asked == {"https://example.org/picture.png"}


def test_no_page_loads_anything_from_elsewhere():
    pages = list(BUILT.rglob("*.html"))
    assert len(pages) > 50
    loaded = r"<(?:script|img|iframe|source)[^>]*\ssrc=\"(https?:|//)|<link[^>]*href=\"(https?:|//)"
    assert [page.name for page in pages if re.search(loaded, page.read_text(encoding="utf-8"))] == []
