"""``eligo run --delete-intermediate``: what goes, what stays, and what is said of it beforehand."""

from __future__ import annotations

import pytest

from tests.cli.running import diamond, run

CATALOG = """pegasus: "5.0"
name: w
transformationCatalog:
  transformations:
    - name: sh
      sites: [{name: local, pfn: /bin/sh, type: installed}]
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pegasus(home, *, first_kept: str) -> str:
    """Files of 10 bytes that job B reads: ``one``, which is staged out if `first_kept`, and ``two``::

    A --(one, two)--> B --(three)-->
    """
    for job, script in {"A": "echo 123456789 > one; cp one two", "B": "cat one two > three"}.items():
        (home / f"{job}.sh").write_text(script)
    made = f"{{lfn: one, type: output, stageOut: {first_kept}, size: 10}}, {{lfn: two, type: output, size: 10}}"
    read = "{lfn: one, type: input}, {lfn: two, type: input}, {lfn: three, type: output, stageOut: true, size: 20}"
    jobs = [
        f"  - {{type: job, name: sh, id: {job}, arguments: [{job}.sh], uses: [{uses}]}}\n"
        for job, uses in {"A": made, "B": read}.items()
    ]
    (home / "w.yml").write_text(f"{CATALOG}jobs:\n{''.join(jobs)}jobDependencies:\n  - {{id: A, children: [B]}}\n")
    return "w.yml"


def there(home) -> set[str]:
    return {name for name in ("one", "two", "three") if (home / name).exists()}


def test_files_that_only_feed_jobs_go(home, capsys):
    run(pegasus(home, first_kept="false"), "--delete-intermediate")
    assert there(home) == {"three"}
    assert "will be kept" not in capsys.readouterr().err


def test_files_that_are_staged_out_stay_and_that_is_said(home, capsys):
    run(pegasus(home, first_kept="true"), "--delete-intermediate")
    assert there(home) == {"one", "three"}
    assert "w.yml: 1 file to be staged out will be kept\n" in capsys.readouterr().err
    run("w.yml", "--delete-intermediate", "--memory", "1kB", "--resource", "disk", "--restart")
    assert "will be kept, though the limit takes them to be gone" in capsys.readouterr().err
    assert there(home) == {"one", "three"}


def test_a_limit_on_disk_without_deleting_is_warned_of(home, capsys):
    pegasus(home, first_kept="false")
    warned = "w.yml: the limit takes files to be gone after their last reader, and nothing deletes them; --delete-int"
    for more in (["--dry-run"], []):
        run("w.yml", "--memory", "1kB", "--resource", "disk", *more)
        assert warned in capsys.readouterr().err
    run("w.yml", "--memory", "1kB", "--resource", "disk", "--delete-intermediate", "--restart")
    assert "nothing deletes" not in capsys.readouterr().err
    (home / "table.csv").write_text("job,output_bytes\n" + "".join(f"{job},10\n" for job in "abcd"))
    listed_nowhere = [diamond(home), "--job-data", "table.csv", "--memory", "1kB", "--dry-run"]
    run(*listed_nowhere, "--resource", "disk")
    assert "nothing deletes them; jobs have to" in capsys.readouterr().err
    run(*listed_nowhere, "--resource", "memory")
    assert "nothing deletes" not in capsys.readouterr().err


def test_where_files_are_not_listed_nothing_goes_and_that_is_said_first(home, capsys):
    run(diamond(home), "--delete-intermediate", "--dry-run")
    assert "--delete-intermediate deletes nothing: it is not said which files" in capsys.readouterr().err
    run(diamond(home), "--delete-intermediate")
    assert (home / "ran").exists()
    assert "--delete-intermediate deletes nothing: it is not said which files" in capsys.readouterr().err
