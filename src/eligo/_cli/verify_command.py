"""``eligo verify``: whether a certificate proves what it claims about a workflow."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from eligo._cli.arguments import add_input, add_json, open_input
from eligo._humanize import printable
from eligo.errors import CertificateError, InfeasibleError

if TYPE_CHECKING:
    from eligo.certificate import Certificate, MemoryCertificate, Verdict

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "run"]

DESCRIPTION = """
Check a certificate against the workflow it is about: that the workflow is the same, that the order can be executed,
that its numbers are right, and that its witness proves the claim. The checks share no code with what makes
certificates. One about memory or disk is also about sizes: if they came from a table, give --job-data here too.

Status 0: the claim is true. Status 1: it is rejected, and the message says why; or it is undecided, since the check
would take more than --budget allows.
"""
EXAMPLE = """
eligo verify workflow.cert workflow.dag
eligo verify --json workflow.cert.gz workflow.dag | jq .valid
"""

_DEFAULT_STEPS = 10_000_000_000  # stated here as well, so that --help need not load numpy; a test keeps them equal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("certificate", metavar="CERTIFICATE", help="the certificate, packed with gzip or not")
    add_input(parser)
    add_json(parser)
    parser.add_argument(
        "--budget",
        type=_steps,
        default=_DEFAULT_STEPS,
        metavar="STEPS",
        help="steps to spend on what takes more than linear time, such as 1e11 (default: 1e10, half a minute or so)",
    )


def run(args: argparse.Namespace) -> int:
    """Check, and print what was checked."""
    from eligo.certificate import load, verify

    certificate = load(args.certificate)
    document = open_input(args)
    try:
        verdict = verify(certificate, document.dag, args.budget)
    except (CertificateError, InfeasibleError) as error:
        if args.json:
            print(json.dumps(_facts(certificate, error=error), indent=2))
        word = "undecided" if isinstance(error, InfeasibleError) else "rejected"
        raise type(error)(f"{args.certificate}: {word}: {error.text}", hint=error.hint) from None
    print(json.dumps(_facts(certificate, verdict), indent=2) if args.json else _text(verdict))
    return 0


def _facts(
    certificate: Certificate | MemoryCertificate,
    verdict: Verdict | None = None,
    error: CertificateError | InfeasibleError | None = None,
) -> dict[str, Any]:
    """Return the outcome: ``valid`` is true, false, or null where it is undecided."""
    return {
        "valid": True if verdict is not None else None if isinstance(error, InfeasibleError) else False,
        "claim": certificate.claim,
        "jobs": certificate.jobs,
        "edges": certificate.edges,
        **_numbers(certificate),
        "checks": [] if verdict is None else list(verdict.checks),
        "assumptions": list(certificate.assumptions),
        "reason": None if error is None else error.text,
    }


def _numbers(certificate: Certificate | MemoryCertificate) -> dict[str, Any]:
    """Return the numbers that the claim is about."""
    names: tuple[str, ...] = ("area", "memory_cost")
    if certificate.claim == "memory":
        names = ("rules", "worst_peak", "exact", "attained_peak", "sequential_peak", "lower_bound")
    return {name: getattr(certificate, name) for name in names}


def _text(verdict: Verdict) -> str:
    lines = [f"ok: {verdict.summary}"]
    lines += [f"  checked: {check}" for check in verdict.checks]
    lines += [f"  assumes: {text}" for text in verdict.assumptions]
    return "\n".join(map(printable, lines))


def _steps(text: str) -> int:
    try:
        steps = float(text)
    except ValueError:
        steps = -1
    if not 0 <= steps < 2**63:
        raise argparse.ArgumentTypeError(f"not a number of steps: {text}")
    return int(steps)
