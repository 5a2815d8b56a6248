"""Completion as the shells ask for it: through the scripts and the protocol behind them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from subspan.methods import registry

SUBSPAN = Path(sys.executable).with_name("subspan")


def run(command: list[str], **environment: str) -> str:
    path = f"{SUBSPAN.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"PATH": path} | environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def offered(*words: str) -> list[str]:
    """What bash gets for the last word."""
    line = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    lines = run([str(SUBSPAN)], **line, _SUBSPAN_COMPLETE="bash_complete").splitlines()
    return [line.partition(",")[2] for line in lines if line.startswith("plain,")]


def test_verbs_methods_and_experiments() -> None:
    assert offered("subspan", "c") == ["choose", "cluster", "compare", "completion"]
    assert offered("subspan", "cluster", "X.npy", "--method", "") == list(registry.METHODS)
    assert offered("subspan", "methods", "l") == ["lsr", "lrsc"]
    assert "table-mnist" in offered("subspan", "reproduce", "table-")
    assert offered("subspan", "completion", "") == ["bash", "zsh", "fish"]


def test_options_of_the_method_that_is_named() -> None:
    assert offered("subspan", "cluster", "X.npy", "--method", "lsr", "--reg") == ["--regularization"]
    assert offered("subspan", "cluster", "X.npy", "--method", "s3comp", "--n-nonz") == ["--n-nonzero"]
    assert offered("subspan", "cluster", "X.npy", "--method", "lsr", "--n-nonz") == []
    assert offered("subspan", "cluster", "X.npy", "-k", "3", "--scale", "") == ["max", "l2", "none"]


def test_lists_of_methods_and_their_parameters() -> None:
    assert offered("subspan", "compare", "X.npy", "--methods", "lsr,l") == ["lsr,lrsc"]
    assert "all" in offered("subspan", "compare", "X.npy", "--methods", "")
    assert offered("subspan", "compare", "X.npy", "--set", "ls") == ["lsr."]
    assert offered("subspan", "compare", "X.npy", "--set", "lsr.reg") == ["lsr.regularization="]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("subspan cluster dat", "file"),
        ("subspan cluster X.npy --labels lab", "file"),
        ("subspan cluster X.npy --work-dir wo", "dir"),
        ("subspan compare X.npy --truth tru", "file"),
        ("subspan evaluate lab", "file"),
    ],
)
def test_files_are_left_to_the_shell(words: str, kind: str) -> None:
    line = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert run([str(SUBSPAN)], **line, _SUBSPAN_COMPLETE="bash_complete").startswith(f"{kind},")


def test_bash_completes_through_the_script() -> None:
    if shutil.which("bash") is None:
        pytest.skip("there is no bash on this system")
    code = (
        'eval "$(subspan completion bash)"; complete -p subspan; '
        "COMP_WORDS=(subspan cluster X.npy --method s3comp); COMP_CWORD=4; "
        '_subspan_completion subspan; echo "${COMPREPLY[*]}"'
    )
    *_, registered, found = run(["bash", "--norc", "-c", code]).splitlines()
    assert registered == "complete -o nosort -F _subspan_completion subspan"
    assert found == "s3comp s3comp-c"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_understand_their_scripts(shell: str, tmp_path: Path) -> None:
    script = run([str(SUBSPAN), "completion", shell])
    assert f"_SUBSPAN_COMPLETE={shell}_complete" in script
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} on this system")
    (tmp_path / "script").write_text(script)
    run([shell, "--no-execute" if shell == "fish" else "-n", str(tmp_path / "script")])


def test_fish_completes_one_method_only() -> None:
    """Its script cuts at commas, so a list must not be offered as something else."""
    line = {"COMP_WORDS": "subspan compare X.npy --methods lsr,l", "COMP_CWORD": "lsr,l"}
    assert run([str(SUBSPAN)], **line, _SUBSPAN_COMPLETE="fish_complete").strip() == ""


def test_the_tab_key_waits_for_no_scientific_library() -> None:
    code = (
        "import atexit, os, sys\n"
        "from subspan.cli.main import main\n"
        "found = {'numpy', 'sklearn', 'numba', 'rich'}\n"
        "atexit.register(lambda: print(sorted(found & set(sys.modules))))\n"
        "main()"
    )
    words = {"COMP_WORDS": "subspan cluster X.npy --damping 1 --method ", "COMP_CWORD": "6"}
    output = run([sys.executable, "-c", code], **words, _SUBSPAN_COMPLETE="bash_complete")
    assert "plain,lsr" in output
    assert output.splitlines()[-1] == "[]"


def test_an_unknown_shell_is_refused() -> None:
    done = subprocess.run([str(SUBSPAN), "completion", "tcsh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'bash', 'zsh', 'fish'" in done.stderr
