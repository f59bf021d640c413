#!/bin/sh
# The main job on a bundled example, each command shown before it runs. Called by `make demo`; writes nothing here.
set -e
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

cp examples/fmri.dag "$out/fmri.dag"
show eligo prioritize "$out/fmri.dag" --in-place --certificate "$out/proof.json"
show tail -4 "$out/fmri.dag"
show eligo verify "$out/proof.json" "$out/fmri.dag"
show eligo simulate "$out/fmri.dag"
show eligo prioritize "$out/fmri.dag" --in-place --remove
show cmp examples/fmri.dag "$out/fmri.dag" && echo "the same file as before, to the byte"
show eligo generate inspiral --jobs 2988 -o "$out/inspiral.dag"
show eligo prioritize "$out/inspiral.dag"
show eligo generate inspiral --jobs 60 --costs -o "$out/search.json"
show eligo memory "$out/search.json"
show eligo limit "$out/search.json" --memory 15.2MB -o "$out/limited.json" --certificate "$out/bound.json"
show eligo verify "$out/bound.json" "$out/limited.json"
show eligo run "$out/limited.json" --command true -j 8
show eligo status "$out/limited.json"
show eligo report "$out/limited.json" --run -o "$out/report.html"
