NAME = "edgelist"
TITLE = "edge-list"
SUFFIXES = (".csv",)


def sniff(head: str) -> bool:
    return False
