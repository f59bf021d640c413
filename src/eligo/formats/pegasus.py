NAME = "pegasus"
TITLE = "Pegasus-YAML"
SUFFIXES = (".yml",)


def sniff(head: str) -> bool:
    return False
