NAME = "dot"
TITLE = "DOT"
SUFFIXES = (".dot",)


def sniff(head: str) -> bool:
    return False
