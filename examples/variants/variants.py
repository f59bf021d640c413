#!/usr/bin/env python3
"""The steps of a small variant-calling workflow, and the data for it. Plain Python, nothing to install.

    variants.py reads                 make the data: a genome, reads of eight samples, and reads of a control
    variants.py workflow              print the workflow, variants.yml
    variants.py STEP FILE ...         one step, as the workflow calls it

A sample differs from the genome in twelve places. A sequencer reads pieces of it, with more and more errors towards
the end of each piece. The workflow learns from the control, which is the genome itself, where reads have to be cut off,
and finds the places again.
"""

from __future__ import annotations

import gzip
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

SAMPLES = [f"s{number}" for number in range(1, 9)]
GENOME, READS, LENGTH, WORD = 8_000, 3_000, 100, 16
BASES = "ACGT"


def lines_of(path: str) -> list[str]:
    """Read a file."""
    return Path(path).read_text().splitlines()


def write(path: str, lines: Iterable[str]) -> None:
    """Write a file."""
    Path(path).write_text("".join(f"{line}\n" for line in lines))


def records_of(path: str) -> Iterator[tuple[str, str]]:
    """Yield name and bases of each read of a FASTQ file."""
    four = iter(lines_of(path))
    yield from ((name, bases) for name, bases, _, _ in zip(four, four, four, four, strict=True))


def placed_in(path: str) -> Iterator[tuple[int, str]]:
    """Yield place and bases of each read that was placed."""
    for line in lines_of(path):
        place, _, bases = line.split("\t")
        yield int(place), bases


# The data -------------------------------------------------------------------------------------------------------------
def reads() -> None:
    """Make genome.fasta, control.fastq.gz and SAMPLE.fastq.gz for each sample."""
    chance = random.Random(1).random  # of Python's generator only this is the same in all versions
    genome = "".join(BASES[int(4 * chance())] for _ in range(GENOME))
    genome = genome[:6_000] + genome[500:700] + genome[6_200:]  # a repeat: reads of it cannot be placed
    write("genome.fasta", [">toy", *(genome[at : at + 60].lower() for at in range(0, GENOME, 60))])
    for name in ("control", *SAMPLES):
        own = list(genome)
        for _ in range(12 if name != "control" else 0):
            place = int(GENOME * chance())
            own[place] = BASES[(BASES.index(own[place]) + 1 + int(3 * chance())) % 4]
        with gzip.open(f"{name}.fastq.gz", "wt") as out:
            for number in range(READS):
                place = int((GENOME - LENGTH) * chance())
                bases = own[place : place + LENGTH]
                for at in range(LENGTH):
                    if chance() < 0.002 + 0.2 * (at / LENGTH) ** 6:
                        bases[at] = BASES[int(4 * chance())]
                out.write(f"@{name}.{number}\n{''.join(bases)}\n+\n{'I' * LENGTH}\n")


# The genome and the control -------------------------------------------------------------------------------------------
def clean(fasta: str, out: str) -> None:
    """Make one line of capital letters of a genome."""
    write(out, ["".join(line.upper() for line in lines_of(fasta) if not line.startswith(">"))])


def repeats(genome: str, out: str) -> None:
    """List the words that stand in the genome more than once."""
    [text] = lines_of(genome)
    seen = Counter(text[at : at + WORD] for at in range(len(text) - WORD + 1))
    write(out, (word for word, count in seen.items() if count > 1))


def index(genome: str, repeated: str, out: str) -> None:
    """Say where each word stands that stands there once."""
    [text], twice = lines_of(genome), set(lines_of(repeated))
    words = ((text[at : at + WORD], at) for at in range(len(text) - WORD + 1))
    write(out, (f"{word} {at}" for word, at in words if word not in twice))


def rates(placed: str, genome: str, out: str) -> None:
    """Tell how often each base of a read is wrong, by reads of the genome itself."""
    [text], wrong, count = lines_of(genome), [0] * LENGTH, 0
    for place, bases in placed_in(placed):
        if 0 <= place <= len(text) - LENGTH:
            count += 1
            for at in range(LENGTH):
                wrong[at] += bases[at] != text[place + at]
    write(out, (f"{errors / count:.4f}" for errors in wrong))


# A sample -------------------------------------------------------------------------------------------------------------
def unpack(packed: str, out: str) -> None:
    """Unpack what the sequencer wrote."""
    Path(out).write_bytes(gzip.decompress(Path(packed).read_bytes()))


def trim(fastq: str, wrong: str, out: str) -> None:
    """Cut off the end of each read, from where on more than one base in fifty is wrong."""
    bad = [float(rate) > 0.02 for rate in lines_of(wrong)]
    end = bad.index(True) if True in bad else len(bad)
    write(out, (f"{name}\n{bases[:end]}\n+\n{'I' * end}" for name, bases in records_of(fastq)))


def place(fastq: str, words: str, out: str) -> None:
    """Say where in the genome each read belongs, by the first of its words that stands there once."""
    where = dict(line.split() for line in lines_of(words))
    found = []
    for name, bases in records_of(fastq):
        for at in range(0, len(bases) - WORD + 1, WORD):
            if (there := where.get(bases[at : at + WORD])) is not None:
                found.append(f"{int(there) - at}\t{name[1:]}\t{bases}")
                break
    write(out, found)


def sort(placed: str, out: str) -> None:
    """Sort reads by where they belong."""
    write(out, sorted(lines_of(placed), key=lambda line: int(line.partition("\t")[0])))


def call(ordered: str, genome: str, out: str) -> None:
    """List the places where eight reads or more have the same other base."""
    [text] = lines_of(genome)
    seen: dict[int, Counter[str]] = {}
    for place, bases in placed_in(ordered):
        if text[place : place + len(bases)] != bases:
            for at, base in enumerate(bases, place):
                if at < len(text) and base != text[at]:
                    seen.setdefault(at, Counter())[base] += 1
    most = ((at, *bases.most_common(1)[0]) for at, bases in sorted(seen.items()))
    write(out, (f"{at}\t{text[at]}\t{base}\t{count}" for at, base, count in most if count >= 8))


def depth(ordered: str, out: str) -> None:
    """Tell how many reads lie on a place, on average."""
    write(out, [f"{sum(len(bases) for _, bases in placed_in(ordered)) / GENOME:.1f}"])


# All samples ----------------------------------------------------------------------------------------------------------
def merge(*names: str) -> None:
    """Put tables below each other, each line with its sample; the last name is that of the result."""
    *tables, out = names
    write(out, (f"{Path(table).stem}\t{line}" for table in tables for line in lines_of(table)))


def report(*names: str) -> None:
    """Count the variants of each sample; half of the names are those of variants, the others of depths."""
    *tables, out = names
    pairs = zip(tables[: len(tables) // 2], tables[len(tables) // 2 :], strict=True)
    found = ((Path(variants).stem, len(lines_of(variants)), lines_of(depths)[0]) for variants, depths in pairs)
    write(out, (f"{name}: {count} variants, each place read {mean} times on average" for name, count, mean in found))


# The workflow ---------------------------------------------------------------------------------------------------------
def workflow() -> None:
    """Print the workflow for Pegasus, as a script by its users would make it."""
    print("# Written by variants.py workflow. Finds where eight samples differ from a genome.")
    print("pegasus: '5.0'\nname: variants\ntransformationCatalog:\n  transformations:\n  - name: variants")
    print("    sites:\n    - {name: local, type: installed, pfn: variants.py}\njobs:")
    job("clean", "genome.fasta", "genome.txt")
    job("repeats", "genome.txt", "repeats.txt")
    job("index", "genome.txt", "repeats.txt", "words.txt")
    job("unpack_control", "control.fastq.gz", "control.fastq")
    job("place_control", "control.fastq", "words.txt", "control.placed")
    job("rates", "control.placed", "genome.txt", "rates.txt")
    for name in SAMPLES:
        job(f"unpack_{name}", f"{name}.fastq.gz", f"{name}.fastq")
        job(f"trim_{name}", f"{name}.fastq", "rates.txt", f"{name}.trimmed")
        job(f"place_{name}", f"{name}.trimmed", "words.txt", f"{name}.placed")
        job(f"sort_{name}", f"{name}.placed", f"{name}.sorted")
        job(f"call_{name}", f"{name}.sorted", "genome.txt", f"{name}.variants")
        job(f"depth_{name}", f"{name}.sorted", f"{name}.depth")
    variants = [f"{name}.variants" for name in SAMPLES]
    job("merge", *variants, "variants.txt", keep=True)
    job("report", *variants, *(f"{name}.depth" for name in SAMPLES), "report.txt", keep=True)


def job(name: str, *files: str, keep: bool = False) -> None:
    """Print a job; all files but the last are its inputs."""
    print(f"- type: job\n  id: {name}\n  name: variants")
    print(f"  arguments: [{name.partition('_')[0]}, {', '.join(files)}]\n  uses:")
    for file in files[:-1]:
        print(f"  - {{lfn: {file}, type: input}}")
    print(f"  - {{lfn: {files[-1]}, type: output, stageOut: {str(keep).lower()}}}")


STEPS = (reads, clean, repeats, index, rates, unpack, trim, place, sort, call, depth, merge, report, workflow)

if __name__ == "__main__":
    steps = {step.__name__: step for step in STEPS}
    if sys.argv[1:2] and sys.argv[1] in steps:
        steps[sys.argv[1]](*sys.argv[2:])
    else:
        sys.exit(__doc__)
