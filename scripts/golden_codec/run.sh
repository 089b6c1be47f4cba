#!/bin/sh
# Checks our codecs against Python's packages, both ways. With "make" it first makes the golden files anew.
# usage: scripts/golden_codec/run.sh [make]; VENV is the path of the virtual environment, outside the tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${VENV:-${TMPDIR:-/tmp}/lucid-golden-codec}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install -q -r "$here/requirements.txt"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
[ "${1:-}" = make ] && "$venv/bin/python" "$here/make.py" "$root"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
(cd "$root" && CGO_ENABLED=0 go run ./scripts/golden_codec/write "$out")
"$venv/bin/python" "$here/check.py" "$out"
