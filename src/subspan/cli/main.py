"""`subspan`: finds the verb, and imports only what that verb needs."""

from __future__ import annotations

import importlib
import signal
import sys
from difflib import get_close_matches

import click

from subspan.cli.options import say, wrapped
from subspan.handover import InputError

# Verb and the module that holds it, as a function of the same name unless `FUNCTIONS` has another.
VERBS = {
    "cluster": "subspan.cli.cluster",
    "choose": "subspan.cli.choose",
    "compare": "subspan.cli.compare",
    "completion": "subspan.cli.completion",
    "datasets": "subspan.cli.datasets",
    "demo": "subspan.cli.demo",
    "evaluate": "subspan.cli.evaluate",
    "look": "subspan.cli.look",
    "methods": "subspan.cli.methods",
    "plan": "subspan.cli.plan",
    "predict": "subspan.cli.predict",
    "reproduce": "subspan.cli.reproduce",
    "show": "subspan.cli.show",
}
# A look is also what a pursuit takes, and `compare` is there in Python too.
FUNCTIONS = {"look": "look_at_data", "compare": "compare_methods"}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that help appears at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all verbs."""
        return sorted(VERBS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command to run; a misspelt one is answered with the likely one."""
        close = get_close_matches(args[0], VERBS, n=1)
        if args[0] not in VERBS:
            hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(VERBS)}."
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(VERBS[cmd_name])
        command: click.Command = getattr(module, FUNCTIONS.get(cmd_name, cmd_name))
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="subspan")
def program() -> None:
    """Cluster points that lie near a union of low-dimensional subspaces.

    \b
    Examples:
      subspan demo                                    see it at work
      subspan look points.csv                         what may harm a clustering
      subspan cluster points.csv -k 5 > labels.csv    cluster the rows of a file
      subspan compare points.csv -k 5                 several methods side by side
      subspan cluster --help                          help for one command
    """  # noqa: D301 (click needs the character itself)


def main() -> None:
    """Run the program; wrong input ends in one sentence and exit code 1, an interruption in 130."""
    # What a batch system sends is to end as well as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        program(prog_name="subspan", standalone_mode=False)
    except click.UsageError as error:
        words = wrapped(f"Error: {error.format_message()}").removeprefix("Error: ")
        click.UsageError(words, error.ctx).show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except (InputError, OSError) as error:
        say(f"Error: {error}")
        sys.exit(1)
    except MemoryError as error:
        say(f"Error: not enough memory; {error or 'the system has no more.'}")
        sys.exit(1)
