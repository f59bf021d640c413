NAME = "wfformat"
TITLE = "WfFormat"
SUFFIXES = (".json",)


def sniff(head: str) -> bool:
    return False
