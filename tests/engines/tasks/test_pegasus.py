from __future__ import annotations

from pathlib import Path

import pytest

from eligo.engines._plan import Process, Sandbox, Task
from eligo.engines._tasks import dax_tasks, pegasus_tasks
from eligo.engines._tasks.task_maker import Maker
from eligo.errors import ParseError
from eligo.formats import open_document
from tests.corpus import DATA, needs_shared

CATALOG = """
transformationCatalog:
  transformations:
  - {namespace: ns, name: say, version: '1.0', sites: [{name: local, type: installed, pfn: /bin/echo}]}
  - name: tool
    sites:
    - {name: there, type: installed, pfn: /no/such/tool}
    - {name: local, type: stageable, pfn: 'file:///opt/a%20b/tool'}
"""


def make(home: Path, text: str, **files: str) -> Maker:
    for name, content in files.items():
        (home / f"{name}.yml").write_text(content)
    (home / "x.yml").write_text("pegasus: '5.0'\n" + text)
    return pegasus_tasks.maker(open_document(home / "x.yml"))


def job(text: str = "", name: str = "tool") -> str:
    return f"{CATALOG}\njobs:\n- {{id: a, name: {name}, {text} }}\n"


def process(home: Path, text: str) -> Process:
    return make(home, job(text)).task(0).processes[0]


def test_a_job(tmp_path: Path) -> None:
    made = make(tmp_path, job("namespace: ns, version: '1.0', arguments: [x]", "say"))
    assert made.warnings == ()
    run = Process(("/bin/echo", "x"), str(tmp_path))
    assert made.task(0) == Task("a", (run,), path=str(tmp_path / "x.yml"), line=12)


def test_the_local_site_comes_first(tmp_path: Path) -> None:
    assert process(tmp_path, "").argv == ("/opt/a b/tool",)


def test_another_site_whose_path_is_here(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.touch()
    catalog = f"transformations: [{{name: t, sites: [{{name: pool, type: installed, pfn: {tool}}}]}}]"
    jobs = "jobs: [{id: a, name: t}]"
    assert make(tmp_path, jobs, transformations=catalog).task(0).processes[0].argv == (str(tool),)
    tool.unlink()
    with pytest.raises(ParseError, match=r"no path here: .*/tool' of the site 'pool' is not on this machine"):
        make(tmp_path, jobs).task(0)


def test_the_workflow_comes_before_the_catalogue_beside_it(tmp_path: Path) -> None:
    catalog = "transformations: [{name: tool, sites: [{name: local, type: installed, pfn: /other}]}]"
    assert make(tmp_path, job(), transformations=catalog).task(0).processes[0].argv == ("/opt/a b/tool",)


def test_arguments_are_a_command_line(tmp_path: Path) -> None:
    words = "arguments: [-n 5, {lfn: f a}, 'x \"y z\" $(q)', 7, 1.5]"
    assert process(tmp_path, words).argv[1:] == ("-n", "5", "f a", "x", "y z", "$(q)", "7", "1.5")


def test_streams(tmp_path: Path) -> None:
    run = process(tmp_path, "stdin: i, stdout: {lfn: sub/o}, stderr: e")
    assert (run.stdin, run.stdout, run.stderr) == tuple(str(tmp_path / name) for name in ("i", "sub/o", "e"))
    assert run.sandbox is None


PROFILES = """
profiles: {env: {A: workflow, B: workflow}}
siteCatalog: {sites: [{name: local, profiles: {env: {D: site, C: site}}}]}
transformationCatalog:
  transformations:
  - name: tool
    profiles: {env: {D: tool, E: tool}, pegasus: {memory: '7', cores: 2}}
    sites: [{name: local, pfn: /tool, profiles: {env: {E: both}}}]
jobs:
- {id: a, name: tool, profiles: {env: {B: job, C: job, '': x}, dagman: {RETRY: 3}, condor: {request_disk: 5}}}
"""


def test_profiles(tmp_path: Path) -> None:
    task = make(tmp_path, PROFILES.replace(", '': x", "")).task(0)
    assert task.processes[0].environment == {"A": "workflow", "B": "job", "C": "site", "D": "tool", "E": "both"}
    assert (task.retries, task.cpus, task.memory_bytes, task.disk_bytes) == (3, 2, 7 * 2**20, 5 * 1024)
    with pytest.raises(ParseError, match="cannot be set in an environment"):
        make(tmp_path, PROFILES).task(0)


def test_what_is_of_no_use_is_said(tmp_path: Path) -> None:
    text = "profiles: {condor: {universe: vanilla, request_cpus: many}, hints: {x: y}}, hooks: {shell: []}"
    made = make(tmp_path, job(text))
    path = str(tmp_path / "x.yml")
    assert made.warnings == (
        f"{path}:12: hooks are not run",
        f"{path}:12: the profile 'condor.universe' is of no use here",
        f"{path}:12: the profile 'condor.request_cpus' is of no use here",
        f"{path}:12: the profile 'hints.x' is of no use here",
    )
    assert made.task(0).cpus == 1


def test_inputs_that_are_elsewhere(tmp_path: Path) -> None:
    """A sandbox holds all inputs, and its outputs come home; what jobs make is never looked for elsewhere."""
    text = job(
        "stdin: one, stdout: log, uses: [{lfn: one, type: input}, {lfn: two, type: input}, "
        "{lfn: mid, type: inout}, {lfn: out, type: output}, {lfn: log, type: output}]"
    )
    replicas = (
        "replicas: [{lfn: one, pfns: [{site: x, pfn: 'http://a/one'}, {site: local, pfn: 'file:///data/one'}]}, "
        "{lfn: mid, pfns: [{site: local, pfn: /data/mid}]}]"
    )
    run = make(tmp_path, text, replicas=replicas).task(0).processes[0]
    home = str(tmp_path)
    assert run.stdin == "/data/one"
    assert run.stdout == f"{home}/log"
    assert run.sandbox == Sandbox(
        (("one", "/data/one"), ("two", f"{home}/two"), ("mid", f"{home}/mid")),
        (("mid", f"{home}/mid"), ("out", f"{home}/out")),
    )


def test_inputs_in_their_place_need_no_sandbox(tmp_path: Path) -> None:
    text = job("uses: [{lfn: one, type: input}]")
    replicas = f"replicas: [{{lfn: one, pfns: [{{site: local, pfn: 'file://{tmp_path}/one'}}]}}]"
    assert make(tmp_path, text, replicas=replicas).task(0).processes[0].sandbox is None


def test_inputs_from_afar(tmp_path: Path) -> None:
    text = job("uses: [{lfn: one, type: input}]")
    made = make(tmp_path, text, replicas="replicas: [{lfn: one, pfns: [{site: x, pfn: 'http://a/one'}]}]")
    with pytest.raises(ParseError, match=r"x.yml:12: the file 'one' is at 'http://a/one'"):
        made.task(0)
    (tmp_path / "one").touch()
    assert made.task(0).processes[0].sandbox is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("jobs:\n\n- {id: a, type: pegasusWorkflow, file: f}", "is a workflow of its own (pegasusWorkflow)"),
        ("jobs:\n\n- {id: a, type: dax, file: f}", "is a workflow of its own (dax)"),
        ("jobs:\n\n- {id: a}", "names no transformation"),
        ("jobs:\n\n- {id: a, name: tool, version: '2'}", "'tool:2' of job 'a' is not known"),
        ("jobs:\n\n- {id: a, name: far}", "has no path here: it is at 'http://x/far'"),
        ("jobs:\n\n- {id: a, name: boxed}", "has no path here: it runs in the container 'box'"),
        ("jobs:\n\n- {id: a, name: nowhere}", "has no path here: no site has it"),
        ("jobs:\n\n- {id: a, name: tool, profiles: {dagman: {PRE: x}}}", "the profile dagman.pre"),
        ("jobs:\n\n- {id: a, name: tool, profiles: {dagman: {post.path.x: y}}}", "the profile dagman.post"),
        ("jobs:\n\n- {id: a, name: tool, arguments: ['\"x']}", "open quotes"),
        ("jobs:\n\n- {id: a, name: tool, stdout: ../x}", "outside the directory"),
        ("jobs:\n\n- {id: a, name: tool, uses: [{lfn: /etc/x, type: input}]}", "outside the directory"),
        ("jobs:\n\n- {id: a, name: tool, stdin: [x]}", "stdin is a list"),
    ],
)
def test_refused_with_the_line(tmp_path: Path, text: str, part: str) -> None:
    catalog = """transformations:
    - {name: tool, sites: [{name: local, pfn: /tool}]}
    - {name: far, sites: [{name: local, pfn: http://x/far}]}
    - {name: boxed, sites: [{name: local, pfn: /x, container: box}]}
    - {name: nowhere}
    """
    made = make(tmp_path, text, transformations=catalog)
    with pytest.raises(ParseError) as caught:
        made.task(0)
    assert part in caught.value.text
    assert caught.value.line == 4
    assert caught.value.hint


@pytest.mark.parametrize("text", ["- a", "transformations: 5", "transformations: [5]"])
def test_a_catalogue_that_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(ParseError, match=r"transformations.yml:1:"):
        make(tmp_path, job(), transformations=text)


DAX = """<?xml version="1.0"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6">
<file name="in put"><pfn url="file:///data/in" site="local"/></file>
<executable namespace="ns" name="tool" version="1" installed="true">
  <profile namespace="env" key="A">1</profile><pfn url="file:///opt/tool" site="local"/>
</executable>
<job id="a" namespace="ns" name="tool" version="1">
  <argument>-n 5 -i<file name="in put"/> <file name="out"/></argument>
  <profile namespace="pegasus" key="cores">2</profile><profile namespace="dagman" key="RETRY"> 1 </profile>
  <stdout name="log" link="output"/>
  <uses name="in put" link="input"/><uses name="out" link="output"/><uses name="log" link="output"/>
</job>
<job id="b" name="other"><argument/></job>
<dax id="c" file="inner.dax"/>
</adag>
"""


def test_dax(tmp_path: Path) -> None:
    (tmp_path / "x.dax").write_text(DAX)
    made = dax_tasks.maker(open_document(tmp_path / "x.dax"))
    home = str(tmp_path)
    assert made.task(0) == Task(
        "a",
        (
            Process(
                ("/opt/tool", "-n", "5", "-iin put", "out"),
                home,
                {"A": "1"},
                stdout=f"{home}/log",
                sandbox=Sandbox((("in put", "/data/in"),), (("out", f"{home}/out"),)),
            ),
        ),
        retries=1,
        cpus=2,
        path=f"{home}/x.dax",
        line=7,
    )
    with pytest.raises(
        ParseError, match=r"x.dax:13: the transformation 'other' of job 'b' is not known(.|\n)*--command"
    ):
        made.task(1)
    with pytest.raises(ParseError, match=r"x.dax:14: job 'c' is a workflow of its own"):
        made.task(2)


@needs_shared
@pytest.mark.parametrize(
    ("name", "module", "part"),
    [
        ("pegasus-yaml/diamond.yml", pegasus_tasks, "'diamond::preprocess:2.0' of job 'ID000001' is not known"),
        ("dax/Montage_50.xml", dax_tasks, "'Montage::mProjectPP:1.0' of job 'ID00000' is not known"),
    ],
)
def test_real_files(name, module, part: str) -> None:
    made = module.maker(open_document(DATA / name))
    with pytest.raises(ParseError) as caught:
        made.task(0)
    assert part in caught.value.text
    assert caught.value.line


@needs_shared
def test_a_real_benchmark() -> None:
    document = open_document(DATA / "pegasus-yaml" / "blast-benchmark-198.yml")
    made = pegasus_tasks.maker(document)
    first = made.task(0).processes[0]
    assert first.argv[0].endswith("/wfperf_benchmark.py")
    assert first.environment == {"PATH": "/usr/bin:/bin:."}
    assert first.sandbox is not None
    assert first.sandbox.inputs[0][0] == "sys_input_0.txt"
    assert all(made.task(number).name == name for number, name in enumerate(document.dag.names))
