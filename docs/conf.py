"""How the pages are made: see `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import subspan

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "subspan"
author = "The subspan developers"
project_copyright = author
version = release = subspan.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "transcript",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_ext"]
templates_path = ["_templates"]
# A name in single backticks, as docstrings have it, is code; quotes in code stay straight.
default_role = "literal"
smartquotes = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
# So that pages can link to headings of each other, as they do where the repository is browsed.
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = True
# Functions whose result is named after them: their pages would be one file where case does not count.
autosummary_filename_map = {
    f"subspan.{name}": f"subspan.{name}-class"
    for name in (
        "metrics.Connectivity",
        "parameters.Parameter",
        "plotting.numbers.Confusion",
        "plotting.numbers.Convergence",
        "plotting.numbers.Representatives",
        "plotting.numbers.Residuals",
        "plotting.numbers.Spectrum",
        "sources.Scan",
    )
}
# The pages of the classes list what there is.
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 10**6,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "within_subsection_order": "ExampleTitleSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "subspan"
html_static_path = ["_static"]
html_css_files = ["subspan.css"]
html_favicon = "_static/logo.svg"
# Plain MathML: no script and no font from elsewhere.
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
# Pages without others below them have no use for a menu at their side.
html_sidebars: dict[str, list[str]] = {
    name: [] for name in ("command-line", "poor-results", "start", "tasks")
}
# Light or dark as the reader's system is, unless another is chosen.
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {
        "text": f"subspan {version}",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
}


def of_another_library(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what estimators inherit from scikit-learn, except for the one method everybody calls."""
    home = getattr(member, "__module__", None) or "subspan"
    return True if not home.startswith("subspan") and name != "fit_predict" else None


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", of_another_library)
