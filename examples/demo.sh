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

show eligo info examples/fmri.dag --certificate "$out/proof.json"
show eligo verify "$out/proof.json" examples/fmri.dag
show eligo convert examples/fmri.dag "$out/fmri.dot"
show eligo generate montage --jobs 7881 --costs -o "$out/montage.json.gz"
show eligo info "$out/montage.json.gz"
