NAME = "stg"
TITLE = "STG"
SUFFIXES = (".stg",)


def sniff(head: str) -> bool:
    return False
