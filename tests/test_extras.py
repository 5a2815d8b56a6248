"""Packages that may be missing."""

import importlib

from subspan.extras import optional_import


def test_packages_that_are_there_are_imported():
    assert optional_import("json", package="json", extra="none") is importlib.import_module("json")
