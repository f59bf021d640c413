"""What snakemake and Nextflow write, in their manner and in small."""

from __future__ import annotations

SNAKEMAKE = """Building DAG of jobs...
digraph snakemake_dag {
    graph[bgcolor=white, margin=0];
    node[shape=box, style=rounded, fontname=sans,                 fontsize=10, penwidth=2];
    edge[penwidth=2, color=grey];
\t0[label = "all", color = "0.22 0.6 0.85", style="rounded"];
\t1[label = "call", color = "0.44 0.6 0.85", style="rounded,dashed"];
\t2[label = "map\\nsample: A", color = "0.00 0.6 0.85", style="rounded"];
\t3[label = "map\\nsample: B", color = "0.00 0.6 0.85", style="rounded"];
\t1 -> 0
\t2 -> 1
\t3 -> 1
}
"""

NEXTFLOW = """digraph "pipeline" {
rankdir=TB;
v0 [shape=point,label="",fixedsize=true,width=0.1,xlabel="Channel.fromPath"];
v1 [label="MAIN:INDEX"];
v0 -> v1 [label="transcriptome"];

v1 [label="MAIN:INDEX"];
v2 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="map"];
v1 -> v2;

v2 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="map"];
v3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="mix"];
v2 -> v3;

v4 [label="MAIN:FASTQC"];
v3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="mix"];
v4 -> v3;

v3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="mix"];
v5 [label="MAIN:MULTIQC"];
v3 -> v5;
v3 -> v5;

v5 [label="MAIN:MULTIQC"];
v6 [shape=point];
v5 -> v6;

}
"""
