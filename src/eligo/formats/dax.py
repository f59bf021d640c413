NAME = "dax"
TITLE = "Pegasus-DAX"
SUFFIXES = (".dax",)


def sniff(head: str) -> bool:
    return False
