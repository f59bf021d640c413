NAME = "cws"
TITLE = "CWS"
SUFFIXES = (".cws",)


def sniff(head: str) -> bool:
    return False
