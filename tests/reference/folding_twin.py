"""Which jobs look the same, by the definition: a relation between jobs from which pairs are struck, round by round."""

from __future__ import annotations

from eligo.dag import Dag

Alike = set[tuple[int, int]]
Partition = list[list[int]]


def partition(dag: Dag, most: int, most_stems: int = 50) -> Partition:
    """Return the groups, by level and first job."""
    level = levels(dag)
    height = max(level, default=0) + 1
    if height > most:
        band = 1
        while band * most < height:
            band += 1
        return groups(related([at // band for at in level]), level)
    stems = [stem(name) for name in dag.names]
    alike = related(list(zip(level, stems, strict=True)))
    if len(set(stems)) > most_stems or len(groups(alike, level)) > most:
        alike = related(level)
    while True:
        finer = struck(dag, alike)
        if finer == alike or len(groups(finer, level)) > most:
            return chained(dag, groups(alike, level), level)
        alike = finer


def chained(dag: Dag, parts: Partition, level: list[int]) -> Partition:
    """Join single jobs of one stem to the one that alone waits for them and for nothing else; chains of two stay."""
    alone = {group[0] for group in parts if len(group) == 1}

    def follows(job: int) -> int | None:
        """The job that comes next in a chain."""
        children = dag.children(job).tolist()
        if len(children) != 1 or job not in alone or children[0] not in alone:
            return None
        child = children[0]
        same = stem(dag.names[job]) == stem(dag.names[child])
        return child if same and dag.parents(child).tolist() == [job] else None

    joined = [list(group) for group in parts]
    for job in range(dag.n):
        if any(follows(parent) == job for parent in dag.parents(job).tolist()):
            continue  # not the first of its chain
        chain = [job]
        while (child := follows(chain[-1])) is not None:
            chain.append(child)
        if len(chain) > 2 and trimmed(stem(dag.names[job])):
            joined = [group for group in joined if group[0] not in chain] + [sorted(chain)]
    return sorted(joined, key=lambda group: (min(level[job] for job in group), group[0]))


def stable(dag: Dag) -> Partition:
    """Return the coarsest partition of jobs of a level that no round changes."""
    level = levels(dag)
    alike = related(level)
    while (finer := struck(dag, alike)) != alike:
        alike = finer
    return groups(alike, level)


def levels(dag: Dag) -> list[int]:
    level = [0] * dag.n
    for _ in range(dag.n):
        for job in range(dag.n):
            level[job] = max((level[parent] + 1 for parent in dag.parents(job).tolist()), default=0)
    return level


def related(labels: list) -> Alike:
    return {(u, v) for u in range(len(labels)) for v in range(len(labels)) if labels[u] == labels[v]}


def struck(dag: Dag, alike: Alike) -> Alike:
    """Keep the pairs in which each parent of one is like some parent of the other, and the children likewise."""

    def covers(ones: list[int], others: list[int]) -> bool:
        return all(any((one, other) in alike for other in others) for one in ones)

    def match(ones: list[int], others: list[int]) -> bool:
        return covers(ones, others) and covers(others, ones)

    return {
        (u, v)
        for u, v in alike
        if match(dag.parents(u).tolist(), dag.parents(v).tolist())
        and match(dag.children(u).tolist(), dag.children(v).tolist())
    }


def groups(alike: Alike, level: list[int]) -> Partition:
    found: Partition = []
    for job in range(len(level)):
        for group in found:
            if (group[0], job) in alike:
                group.append(job)
                break
        else:
            found.append([job])
    return sorted(found, key=lambda group: (min(level[job] for job in group), group[0]))


def stem(name: str) -> str:
    """Return the name with # for each run of digits."""
    kept = ""
    inside = False
    for letter in name:
        digit = letter in "0123456789"
        if not (digit and inside):
            kept += "#" if digit else letter
        inside = digit
    return kept


def titles(dag: Dag, parts: Partition) -> list[str]:
    """Return what each group is called, before names are made unique."""
    level = levels(dag)
    return [title([dag.names[job] for job in group], [level[job] + 1 for job in group]) for group in parts]


def title(names: list[str], level: list[int]) -> str:
    if len(names) == 1:
        return names[0]
    if len({stem(name) for name in names}) == 1:
        shared = trimmed(stem(names[0]))
        enough = 1
    else:
        length = 0
        while all(len(name) > length and name[length] == names[0][length] for name in names):
            length += 1
        shared = trimmed(names[0][:length])
        enough = 2
    if len(shared) >= enough:
        return shared
    low, high = min(level), max(level)
    return f"level {low}" if low == high else f"levels {low}-{high}"


def trimmed(text: str) -> str:
    while text and text[0] in "#_-. ":
        text = text[1:]
    while text and text[-1] in "#_-. ":
        text = text[:-1]
    return text
