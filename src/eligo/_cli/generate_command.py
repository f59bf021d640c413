"""``eligo generate``: a dag of a known family, as a file."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from eligo._cli.arguments import Parser, add_target
from eligo._cli.messages import say, warn
from eligo._humanize import plural
from eligo.errors import EligoError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eligo.dag import Dag
    from eligo.generate import Family, Parameter

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Make a workflow of a known family and write it: the dags of the papers, dags shaped like well-known scientific
workflows with exactly the asked number of jobs, and random ones. The same words give the same file.

Without -o the dag goes to standard output as an edge list (parent,child). `eligo generate` alone, or --list, lists
the families, `eligo generate FAMILY --help` explains one.
"""
EXAMPLE = """
eligo generate airsn --width 250 -o airsn.dag
eligo generate montage --jobs 7881 --costs -o montage.json
eligo generate strand T 1 4 4 3
eligo generate sum "mesh --levels 4" "tree --height 3" -o both.dot
"""

_SUM, _COMPOSE = "sum", "compose"
_COMBINATIONS = {
    _SUM: ("several dags side by side", 'sum "mesh --levels 4" "strand W 4 2" "strand W 4 2"'),
    _COMPOSE: (
        "dags one after another: the sinks of each merged, in their order, with as many sources of the next",
        'compose "tree --height 3 --expansion" "tree --height 3"',
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments: one parser for each family, from the family's own record."""
    from eligo.generate import FAMILIES

    parser.add_argument("--list", action="store_true", help="list the families, one line each")
    families = parser.add_subparsers(dest="family", metavar="FAMILY", title="families")
    for name, family in FAMILIES.items():
        one = _family_parser(families, name, family.summary, _paragraphs(family), family.example)
        for parameter in family.parameters():
            _add_parameter(one, parameter)
        _add_output(one)
    for name, (summary, example) in _COMBINATIONS.items():
        one = _family_parser(families, name, summary, f"{summary[0].upper()}{summary[1:]}.", example)
        one.add_argument("dags", metavar="DAG", nargs="+", help="the words of another generate command, in quotes")
        _add_output(one)


def _family_parser(families: Any, name: str, summary: str, description: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = families.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example:\n  eligo generate {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def _paragraphs(family: Family) -> str:
    """Return the function's own words on the dag and its numbering, and its module's where that has no other family."""
    import inspect
    import sys

    from eligo.generate import FAMILIES

    home = family.make.__module__
    parts = (inspect.getdoc(family.make) or "").removeprefix("Return ").split("\n\n")
    words = ["Make " + parts[0], *(part for part in parts[1:] if "Numbering:" in part)]
    if sum(other.make.__module__ == home for other in FAMILIES.values()) == 1:
        words.insert(1, (sys.modules[home].__doc__ or "").strip())
    return "\n\n".join(words).replace(":func:`", "`").replace("`", "")


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    from eligo.generate._family import REQUIRED

    more: dict[str, Any] = {"nargs": "+"} if parameter.many else {}
    if parameter.choices:
        more["choices"] = parameter.choices
    if parameter.positional:
        more["metavar"] = None if parameter.choices else parameter.name.upper()
        parser.add_argument(parameter.name, type=parameter.kind, help=parameter.help, **more)
    elif parameter.kind is bool:
        parser.add_argument(parameter.flag, action="store_true", help=parameter.help)
    else:
        needed = parameter.default is REQUIRED
        more["metavar"] = None if parameter.choices else "X" if parameter.kind is float else "N"
        default = "" if needed or parameter.default is None else f" (default: {parameter.default})"
        parser.add_argument(
            parameter.flag,
            type=parameter.kind,
            required=needed,
            default=None if needed else parameter.default,
            help=parameter.help + default,
            **more,
        )


def _add_output(parser: argparse.ArgumentParser) -> None:
    writing = parser.add_argument_group("writing")
    writing.add_argument("-o", "--out", metavar="OUT", help="the file to write (default: standard output)")
    add_target(writing, " (standard output: edgelist)")
    writing.add_argument("--dual", action="store_true", help="turn every edge round, keeping the numbers")
    writing.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Generate."""
    from eligo.formats import write

    if args.list or args.family is None:
        _print_families()
        return 0
    dag = _make(args)
    out = args.out or "-"
    warn(
        f"{out}: {text}" for text in write(dag, out, format=args.target_format or ("edgelist" if out == "-" else None))
    )
    if out != "-":
        say(f"{out}: {plural(dag.n, 'job')}, {plural(dag.m, 'edge')}")
    return 0


def _print_families() -> None:
    from eligo.generate import FAMILIES

    lines = {name: family.summary for name, family in FAMILIES.items()}
    lines.update((name, summary) for name, (summary, _) in _COMBINATIONS.items())
    width = max(map(len, lines))
    for name, summary in lines.items():
        print(f"{name:<{width}}  {summary}")


def _make(args: argparse.Namespace) -> Dag:
    from eligo.generate import FAMILIES

    if args.family in _COMBINATIONS:
        dag = _combine(args.family, [_make(_parse_operand(text)) for text in args.dags])
    else:
        family = FAMILIES[args.family]
        values = {parameter.name: getattr(args, parameter.name) for parameter in family.parameters()}
        try:
            dag = family.make(**values)
        except EligoError as error:
            more = f"eligo generate {args.family} --help explains the parameters"
            raise EligoError(f"{args.family}: {error.text}", hint=f"{error.hint}; {more}") from None
    return _turned(dag) if args.dual else dag


def _turned(dag: Dag) -> Dag:
    from eligo import graph

    turned = graph.dual(dag)
    if dag.data is not None and (turned.data is None or turned.data.k < dag.data.k):
        warn(["--dual: data that several jobs read, or none, have no counterpart and are left out"])
    return turned


def _parse_operand(text: str) -> argparse.Namespace:
    """Read the words of a generate command inside a sum or a composition."""
    parser = Parser(prog=f"eligo generate ... {text!r}", allow_abbrev=False)
    add_arguments(parser)
    try:
        words = shlex.split(text)
    except ValueError:
        raise EligoError(f"{text!r} has an open quotation mark", hint='write such as "mesh --levels 4"') from None
    if not words:
        raise EligoError("one of the dags is empty", hint='write such as "mesh --levels 4"')
    args = parser.parse_args(words)
    if args.family is None or args.out or args.target_format:
        raise EligoError(f"{text!r} does not describe a dag", hint="options for writing stand outside the quotes")
    return args


def _combine(how: str, dags: Sequence[Dag]) -> Dag:
    from eligo import graph
    from eligo.generate import compose

    if how == _SUM:
        return graph.sum_of(dags)
    if any(dag.time_s is not None or dag.data is not None for dag in dags):
        warn(["compose: times and data are left out: jobs that are merged would have two of each"])
    whole = dags[0]
    for lower in dags[1:]:
        # The shorter list decides: what is left over stays a sink or a source.
        pairs = zip(graph.sinks(whole).tolist(), graph.sources(lower).tolist(), strict=False)
        whole = compose(whole, lower, pairs)
    return whole
