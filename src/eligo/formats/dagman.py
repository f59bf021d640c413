NAME = "dagman"
TITLE = "HTCondor-DAGMan"
SUFFIXES = (".dag",)


def sniff(head: str) -> bool:
    return False
