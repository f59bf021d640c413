"""``eligo completion``: a script that completes commands, options and files in a shell."""

from __future__ import annotations

import argparse

from eligo._cli import COMMANDS, command_parser

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = "Print a script that teaches a shell to complete eligo's commands, options and files."
EXAMPLE = """\
eligo completion bash > ~/.local/share/bash-completion/completions/eligo
eligo completion zsh > ~/.zfunc/_eligo      # with fpath+=~/.zfunc before compinit
eligo completion fish > ~/.config/fish/completions/eligo.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish", "tcsh"], help="the shell to write for")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    print(shtab.complete(_whole_parser(), shell=args.shell))
    return 0


def _whole_parser() -> argparse.ArgumentParser:
    """All commands under one parser, which only completion needs."""
    parser = argparse.ArgumentParser(prog="eligo")
    parser.add_argument("--version", action="store_true", help="show the version")
    commands = parser.add_subparsers(dest="command")
    for name, text in COMMANDS.items():
        own = command_parser(name)
        _complete_files(own)
        commands.add_parser(name, help=text, parents=[own], add_help=False, conflict_handler="resolve")
    return parser


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Tell shtab which arguments are files."""
    import shtab

    for action in parser._actions:  # argparse has no public way to walk a parser, and shtab does the same
        if action.metavar in ("FILE", "OUT", "TABLE"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        if action.metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _complete_files(inner)
