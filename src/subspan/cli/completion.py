"""`subspan completion`."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print a script for completion with the tab key.

    SHELL is bash, zsh or fish. Commands, options, methods, parameters of the method that is named, and files
    are completed.

    \b
    bash, in ~/.bashrc:
      eval "$(subspan completion bash)"
    zsh, in ~/.zshrc behind compinit:
      eval "$(subspan completion zsh)"
    fish:
      subspan completion fish > ~/.config/fish/completions/subspan.fish
    """  # noqa: D301 (click needs the character itself)
    from click.shell_completion import get_completion_class

    from subspan.cli.main import program

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(program, {}, "subspan", "_SUBSPAN_COMPLETE").source())
