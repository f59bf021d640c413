"""Random DAGMan files, valid ones and slightly broken ones, for comparing readers.

Most commands of the language occur, with odd numbers, quotes, continuations, comments, CRLF and mixed case; splices and
includes bring files of their own. Many of the cases are then damaged a little. What only HTCondor 25 knows is left out,
since the judge is 23.9; :func:`is_newer` recognises it where damage happens to produce it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

NAMES = ["a", "b", "c", "d", "e", "f", "A", "x.y", "n-1", "7", "\u00e9t\u00e9", "job", "done", "very_long_name_" * 3]
_WORDS = [
    "a",
    "zz",
    "CHILD",
    "PARENT",
    "ALL_NODES",
    "3",
    "-1",
    "99999999999",
    '"',
    "\\",
    "NOOP",
    "DIR",
    ".",
    "{",
    "}",
    "+",
    "x+y",
]
_NUMBERS = ["0", "1", "3", "7", "255", "256", "-1", "+2", "3abc", "abc", "007", "2147483648", "99999999999", "1.5", ""]

Files = dict[str, bytes]


def random_case(rng: random.Random, newer: bool = False) -> Files:
    """Return the files of one DAG by name; the DAG is ``x.dag``.

    With `newer`, jobs also have DIRs of all kinds in any order, with submit files that differ between them, and
    HTCondor 23.9 is no judge.
    """
    case = _Case(rng, newer)
    files = {name: "".join(lines) for name, lines in case.files.items()}
    if rng.random() < 0.4:
        name = rng.choice(sorted(files))
        files[name] = _damaged(files[name], rng)
    submits = {path: text for path, text in _SUBMITS.items() if newer and rng.random() < 0.7}
    return {name: _finished(text, rng) for name, text in files.items()} | submits


# One name, in several directories: whoever mixes them up finds other requests.
_SUBMITS = {
    "j.sub": b"request_memory = 1\nqueue x from items\n",
    "d/j.sub": b"request_memory = 2\nqueue x from items\n",
    "d/e/j.sub": b"request_memory = $(x)\nrequest_disk = 4\nif true\n",
    "items": b"a\nb\n",
    "d/items": b"a\nb\nc\n",
}
_OPTIONS = ["", "", "", " NOOP", " DONE", " DIR .", " DIR . NOOP", ' DIR "." NOOP DONE']
_NEWER_OPTIONS = [
    "",
    " DIR d",
    " DIR d",
    " NOOP DIR d/e",
    " dir  d/",
    " DIR d DIR d/e DONE",
    " DIR nope",
    " DONE\tDIR other/nope NOOP",
    ' DIR "d"',
    " DIR /nope",
    ' DIR d"',
    " DIR NOOP",
    " DIR",
]


class _Case:
    def __init__(self, rng: random.Random, newer: bool) -> None:
        self.rng = rng
        self.options = _NEWER_OPTIONS[: rng.choice([-1, -1, None])] if newer else _OPTIONS
        self.files: dict[str, list[str]] = {}
        self.write("x.dag", 0)

    def write(self, file: str, depth: int) -> None:
        rng = self.rng
        jobs = rng.sample(NAMES, rng.randint(0 if rng.random() < 0.1 else 1, 6))
        nodes: list[str] = []
        rest: list[str] = []
        usable = list(jobs)
        for name in jobs:
            nodes.extend(self.node(name))
        if depth < 2:
            for i in range(rng.choice([0, 0, 1, 2])):
                splice, inner = f"S{i}", f"s{depth}{i}.dag"
                if inner not in self.files:
                    self.write(inner, depth + 1)
                nodes.append(f"SPLICE {splice} {inner}{rng.choice(['', '', ' DIR .'])}\n")
                usable.append(splice)
            if depth == 0 and len(usable) - len(jobs) == 2 and rng.random() < 0.3:
                rest.append("CONNECT S0 S1\n")
        if rng.random() < (0.03 if depth else 0.15):
            rest.append(self.special())
        rest.extend(self.edge(usable) for _ in range(rng.randint(0, 5)))
        rest.extend(self.mark(jobs) for _ in range(rng.randint(0, 4)))
        if depth and jobs:
            rest.extend(
                f"PIN_{rng.choice(['IN', 'OUT'])} {rng.choice(jobs)} {rng.randint(1, 2)}\n"
                for _ in range(rng.randint(0, 4))
            )
        if rng.random() < 0.2:
            rest.append(self.setting())
        if rng.random() < 0.15 and depth == 0:
            self.include(jobs)
            rest.insert(rng.randint(0, len(rest)), "INCLUDE i.dag\n")
        if rng.random() < 0.2:
            rng.shuffle(nodes) if not any("{" in line for line in nodes) else None
        lines = [*nodes, *rest]
        if rng.random() < 0.2 and not any("{" in line for line in lines):
            rng.shuffle(lines)
        self.files[file] = [self.styled(line) for line in lines]

    def include(self, jobs: list[str]) -> None:
        rng = self.rng
        lines = [f"JOB inc{i} i.sub\n" for i in range(rng.randint(0, 2))]
        if jobs and lines and rng.random() < 0.7:
            lines.append(f"PARENT {rng.choice(jobs)} CHILD inc0\n")
        if rng.random() < 0.2:
            lines.append("PARENT S0 CHILD inc0\n")
        self.files["i.dag"] = lines

    def node(self, name: str) -> list[str]:
        rng = self.rng
        kind = rng.random()
        options = rng.choice(self.options)
        if kind < 0.7:
            submit = rng.choice(["j.sub", name + ".sub", "dir/j.sub", '"my job.sub"'])
            return [f"JOB {name} {submit}{options}\n"]
        if kind < 0.8:
            return [f"SUBDAG EXTERNAL {name} sub.dag{options}\n"]
        if kind < 0.85:
            return ["SUBMIT-DESCRIPTION desc {\n", "  executable = x\n", "}\n", f"JOB {name} desc{options}\n"]
        body = rng.choice(
            [
                ["executable = x\n"],
                ["# JOB zz y\n", "+Attr = 3\n", "\n"],
                ["a = {\n", "b=$(c)\n"],
                ["JOB = y\n"],
                ["x = \\\n", "3\n"],
                ["here @=end\n", "JOB q q\n", "@end\n"],
            ]
        )
        return [f"JOB {name} {{{options}\n", *body, rng.choice(["}\n", "  }\n", "} \n"])]

    def special(self) -> str:
        kind = self.rng.choice(["FINAL", "SERVICE", "PROVISIONER"])
        return f"{kind} {self.rng.choice(['fin', 'a', 'z'])} f.sub{self.rng.choice(['', ' NOOP', ' DONE'])}\n"

    def edge(self, names: list[str]) -> str:
        rng = self.rng
        if len(names) < 2:
            return "# nothing to link\n"
        if rng.random() < 0.02:
            return f"PARENT {rng.choice(names)} CHILD {rng.choice([*names, 'zz', 'S0+a'])}\n"
        cut = rng.randint(1, len(names) - 1)
        parents = [rng.choice(names[:cut]) for _ in range(rng.choice([1, 1, 2, 3]))]
        children = [rng.choice(names[cut:]) for _ in range(rng.choice([1, 1, 2, 3]))]
        return f"PARENT {' '.join(parents)} CHILD {' '.join(children)}\n"

    def mark(self, jobs: list[str]) -> str:
        rng = self.rng
        who = rng.choice(
            [*jobs, *jobs, *jobs, "ALL_NODES", "zz" if rng.random() < 0.05 else (jobs or ["ALL_NODES"])[0]]
        )
        number = rng.choice(_NUMBERS) if rng.random() < 0.1 else str(rng.randint(0, 9))
        options = rng.choice(["", "", "DEFER 1 0 ", "DEBUG f ALL ", f"DEFER {number} 2 "])
        return rng.choice(
            [
                f"VARS {who} {self.variables()}\n",
                f"PRIORITY {who} {number}\n",
                f"RETRY {who} {number}{rng.choice(['', '', ' UNLESS-EXIT 2', ' UNLESS-EXIT ' + number])}\n",
                f"CATEGORY {who} cat\n",
                f"SCRIPT {options}{rng.choice(['PRE', 'POST', 'HOLD'])} {who} s.sh  $JOB x\n",
                f"PRE_SKIP {who} {number}\n",
                f"ABORT-DAG-ON {who} {number}{rng.choice(['', ' RETURN 1', ' RETURN ' + number])}\n",
                f"SAVE_POINT_FILE {who}{rng.choice(['', ' save'])}\n",
                f"MAXJOBS cat {number}\n",
            ]
        )

    def variables(self) -> str:
        rng = self.rng
        names = ["x", "y_2", "+Z", "a.b", "My.q", "PREPEND", "queue" if rng.random() < 0.1 else "q"]
        values = ["", "1", "two words", '\\"q\\"', "\\\\", "$(JOB)", "\u00e9"]
        pairs = [
            f'{rng.choice(names)}{rng.choice(["=", "=", " = "])}"{rng.choice(values)}"'
            for _ in range(rng.randint(1, 3))
        ]
        return rng.choice(["", "", "", "PREPEND ", "APPEND "]) + rng.choice([" ", " ", ""]).join(pairs)

    def setting(self) -> str:
        return self.rng.choice(
            [
                "CONFIG c\n",
                "DOT d.dot UPDATE\n",
                "NODE_STATUS_FILE s 30\n",
                "JOBSTATE_LOG l\n",
                "SET_JOB_ATTR A = 3\n",
                "ENV GET A\n",
            ]
        )

    def styled(self, line: str) -> str:
        """Vary what does not matter: case, blanks, continuations, comments."""
        rng = self.rng
        roll = rng.random()
        word, blank, rest = line.partition(" ")
        if roll < 0.1 and word.isupper():
            line = rng.choice([word.lower(), word.title()]) + blank + rest
        elif roll < 0.2:
            line = line.replace(" ", rng.choice(["  ", "\t", " \t "]), 1)
        elif roll < 0.25:
            line = "  " + line
        elif roll < 0.3 and " " in line.strip() and "=" not in line:
            at = rng.choice([i for i, c in enumerate(line) if c == " "])
            comment = rng.choice(["", "", "# a comment \\\n", "   # b\\\n"])
            line = line[:at] + (" \\\n" if rng.random() < 0.9 else "\\\n ") + comment + line[at:]
        elif roll < 0.35:
            line = rng.choice(["# comment\n", "\n", "   \n", "#\\\n", "# JOB q q\n"]) + line
        return line


def _damaged(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    for _ in range(rng.randint(1, 2)):
        if not lines:
            return text
        at = rng.randrange(len(lines))
        words = lines[at].split(" ")
        how = rng.randrange(9)
        if how == 0:
            lines[at] = " ".join(words[:-1]) + "\n"
        elif how == 1:
            words.insert(rng.randint(0, len(words)), rng.choice(_WORDS))
            lines[at] = " ".join(words)
        elif how == 2:
            words[rng.randrange(len(words))] = rng.choice(_WORDS)
            lines[at] = " ".join(words)
        elif how == 3:
            lines[at] = lines[at] + lines[at]
        elif how == 4:
            del lines[at]
        elif how == 5:
            spot = rng.randint(0, len(lines[at]))
            lines[at] = lines[at][:spot] + rng.choice(list('"\\#+={}@ \t\r\x0b\u00e9/')) + lines[at][spot:]
        elif how == 6:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif how == 7:
            lines[at] = rng.choice(
                [
                    "FOO bar\n",
                    "REJECT\n",
                    "EDGE a b\n",
                    "JOB\n",
                    "PARENT\n",
                    "VARS a\n",
                    "SPLICE s\n",
                    "}\n",
                    "INCLUDE nope\n",
                ]
            )
        else:
            words[0] = rng.choice(["JOB", "PARENT", "VARS", "RETRY", "SPLICE", "FINAL", "CATEGORY", "CHILD"])
            lines[at] = " ".join(words)
    return "".join(lines)


def _finished(text: str, rng: random.Random) -> bytes:
    if rng.random() < 0.1:
        text = text.replace("\n", "\r\n")
    if rng.random() < 0.1:
        text = text.rstrip("\n")
    data = text.encode()
    if rng.random() < 0.05:
        data = data.replace("\u00e9".encode(), b"\xe9")
    return data


_SPELLED = {
    "JOB",
    "SUBDAG",
    "FINAL",
    "PROVISIONER",
    "SERVICE",
    "SPLICE",
    "SUBMIT-DESCRIPTION",
    "SCRIPT",
    "PARENT",
    "RETRY",
    "ABORT-DAG-ON",
    "DOT",
    "VARS",
    "PRIORITY",
    "CATEGORY",
    "MAXJOBS",
    "CONFIG",
    "SET_JOB_ATTR",
    "ENV",
    "NODE_STATUS_FILE",
    "SAVE_POINT_FILE",
    "REJECT",
    "JOBSTATE_LOG",
    "PRE_SKIP",
    "CONNECT",
    "PIN_IN",
    "PIN_OUT",
    "INCLUDE",
}
_DIFFERENT = {"WEAK", "TOLERANCE", "DONE", "SUBMIT_DESCRIPTION", "ABORT_DAG_ON"} | {
    name.replace("_", "-") for name in _SPELLED if "_" in name
}


def is_newer(files: Files) -> bool:
    """Tell whether a DAG has something that only HTCondor 25 takes, or that 23.9 dies of."""
    return any(_newer_line(line) for data in files.values() for line in _lines(data))


def _lines(data: bytes) -> Iterator[str]:
    yield from re.sub(rb"\\[ \t\r\v\f]*\n\s*", b" ", data).decode("latin-1").split("\n")


def _newer_line(line: str) -> bool:
    words = line.split()
    if not words:
        return False
    first = words[0].upper()
    if first in _DIFFERENT or words[0].startswith("//") or first in ("IF", "ELSE", "ELIF", "ENDIF"):
        return True
    if first in ("JOB", "FINAL", "PROVISIONER", "SERVICE", "SUBDAG"):
        return "@=" in line or (first in ("PROVISIONER", "SERVICE") and "{" in line) or _newer_options(words)
    return line.lstrip().startswith("}") and len(words) > 1


def _newer_options(words: list[str]) -> bool:
    upper = [word.upper() for word in words]
    order = [word for word in upper[3:] if word in ("DIR", "NOOP", "DONE")]
    if order != [word for word in ("DIR", "NOOP", "DONE") if word in order]:
        return True
    if "DIR" in upper and upper[-1] != "DIR":
        return words[upper.index("DIR") + 1].strip('"') not in (".", "./")
    return False
