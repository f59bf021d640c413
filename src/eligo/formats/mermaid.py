NAME = "mermaid"
TITLE = "Mermaid"
SUFFIXES = (".mmd",)


def sniff(head: str) -> bool:
    return False
