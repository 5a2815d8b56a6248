"""Methods from a file or from another package: found, refused in one sentence, not loaded before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import subspan
from subspan.handover import InputError
from subspan.methods import registry

MINE = """
from __future__ import annotations
from dataclasses import dataclass
from subspan.methods.lsr import LSR
from subspan.parameters import parameter, whole

@dataclass(eq=False, repr=False, kw_only=True)
class Mine(LSR):
    \"\"\"Least squares with looks.\"\"\"

    n_looks: int = parameter(3, whole(1), "How often it looks.")

class Other:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with points, a file with a method, and a package that installs it."""
    monkeypatch.chdir(tmp_path)
    np.save("X.npy", np.random.default_rng(0).standard_normal((30, 5)))
    Path("my_method.py").write_text(MINE)
    return tmp_path


def install(folder: Path, *entries: str) -> None:
    about = folder / "my_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("\n".join(["[subspan.methods]", *entries]) + "\n")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, which sees what is installed in the folder."""
    paths = [str(folder), str(Path(subspan.__file__).parents[1])]
    return subprocess.run(
        [sys.executable, "-c", "from subspan.cli.main import main; main()", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip


def test_a_class_in_a_file(folder: Path) -> None:
    name = registry.find("my_method.py:Mine")
    assert registry.get(name) is registry.get(str(folder / "my_method.py:Mine"))
    assert registry.place(name)[:2] == ("my_method", "Mine")
    assert registry.get(name)(3, n_looks=2).fit(folder / "X.npy").labels_.shape == (30,)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("none.py:Mine", None, "'none.py:Mine': there is no file none.py."),
        ("a.py:Mien", MINE, "'a.py:Mien': a.py has no class 'Mien'; the classes in it: Mine, Other."),
        ("a.py", MINE, "'a.py': the class is missing, as in FILE.py:CLASS; the classes in it: Mine, Other."),
        ("a.py:x", "x = 1", "'a.py:x': a.py has no class 'x'; a.py defines no class."),
        ("a.py:Other", MINE, "'a.py:Other': Other is no subclass of subspan.base.SubspaceMethod."),
        (
            "a.py:A",
            "\n1 / 0",
            "'a.py:A': a.py cannot be imported: ZeroDivisionError, line 2: division by zero",
        ),
        ("a.py:A", "a b", "'a.py:A': a.py cannot be imported: SyntaxError, line 1: invalid syntax"),
        ("a.py:A", "raise SystemExit", "'a.py:A': a.py cannot be imported: SystemExit, line 1"),
    ],
)
def test_one_sentence_about_what_is_wrong(
    folder: Path, name: str, content: str | None, sentence: str
) -> None:
    if content is not None:
        Path("a.py").write_text(content)
    with pytest.raises(InputError) as raised:
        registry.find(name)
    assert str(raised.value) == sentence
    assert str(folder / "a.py") not in sys.modules or content in (MINE, "x = 1")


def test_the_command_line_takes_a_file(folder: Path) -> None:
    arguments = ["cluster", "X.npy", "-k", "3", "--method", "my_method.py:Mine"]
    done = run(folder, *arguments, "--n-looks", "2", "--json", "--quiet", "--report", "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert (facts["method"], facts["parameters"]["n_looks"]) == ("my_method.py:Mine", 2)
    assert "from my_method import Mine" in Path("page.html").read_text()
    wrong = run(folder, *arguments, "--n-looks", "0")
    assert "Invalid value for '--n-looks': must be a whole number of at least 1, not '0'." in wrong.stderr
    missing = run(folder, "cluster", "X.npy", "-k", "3", "--method", "my_method.py:Mien")
    assert missing.returncode == 2
    assert "Invalid value for '--method': 'my_method.py:Mien': my_method.py has no class" in missing.stderr


def test_a_comparison_with_a_file(folder: Path) -> None:
    methods = ["--methods", "lsr,my_method.py:Mine", "--set", "my_method.py:Mine.n_looks=5"]
    done = run(folder, "compare", "X.npy", "-k", "3", "--trials", "1", "--json", "--quiet", *methods)
    assert (done.returncode, done.stderr) == (0, "")
    assert "my_method.py:Mine" in done.stdout
    shown = run(folder, "methods", "my_method.py:Mine").stdout
    assert "In Python: my_method.Mine" in shown
    assert "--n-looks INTEGER" in shown


def test_an_installed_method(folder: Path) -> None:
    install(folder, "mine = my_method:Mine", "broken = nowhere:Mine")
    listed = run(folder, "methods").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [*registry.PLACES, "mine", "broken"]
    assert listed[-2].endswith("my_method:Mine of my-package 1.0")
    done = run(folder, "cluster", "X.npy", "-k", "3", "--method", "Mine", "--n-looks", "2", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    broken = run(folder, "cluster", "X.npy", "-k", "3", "--method", "broken")
    assert broken.returncode == 2
    assert "'broken': nowhere:Mine of my-package 1.0 cannot be imported: ModuleNotFoundError" in broken.stderr


def test_the_name_of_a_built_in_method_is_taken(folder: Path) -> None:
    install(folder, "lsr = my_method:Mine")
    done = run(folder, "cluster", "X.npy", "-k", "3", "--method", "lsr")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "Error: 'lsr' is the name of a built-in method, but also of my_method:Mine of my-package 1.0: that "
        "entry point (subspan.methods) needs another name.\n"
    )


def test_nothing_is_imported_for_a_list(folder: Path) -> None:
    install(folder, "mine = my_method:Mine")
    code = (
        "import sys\nfrom subspan.cli.main import program\n"
        "for words in ([], ['methods'], ['cluster', '--help']):\n"
        "    program([*words] or ['--help'], standalone_mode=False)\n"
        "    print(*sorted({'my_method', 'numpy', 'sklearn', 'subspan.base'} & set(sys.modules)), 'loaded')"
    )
    paths = os.pathsep.join([str(folder), str(Path(subspan.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    loaded = [line.strip() for line in done.stdout.splitlines() if line.endswith("loaded")]
    assert loaded == ["loaded"] * 3
