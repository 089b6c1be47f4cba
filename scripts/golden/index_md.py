"""Writes INDEX.md next to the golden files: cases per file, and attributes per op."""
import gzip
import json
import os

from lib import OUT_DIR

rows, lines, total = [], [], 0
for name in sorted(n for n in os.listdir(OUT_DIR) if n.endswith(".json.gz")):
    with gzip.open(os.path.join(OUT_DIR, name)) as z:
        obj = json.load(z)
    family = name[:-len(".json.gz")]
    if "table" in obj:
        rows.append("| %s | %d pairs |  |  |" % (family, len(obj["table"])))
        continue
    ops = {}
    for c in obj["cases"]:
        o = ops.setdefault(c["op"], [0, 0, set()])
        o[0] += 1
        o[1] += 1 if c.get("grads") else 0
        o[2].update(c["attrs"])
    n = len(obj["cases"])
    total += n
    rows.append("| %s | %d | %d | %d |" % (family, n, sum(o[1] for o in ops.values()), len(ops)))
    lines.append("\n## %s\n\n" % family + "\n".join(
        "- %s (%d, %d): %s" % (op, o[0], o[1], " ".join(sorted(o[2])) or "-") for op, o in sorted(ops.items())))

with open(os.path.join(OUT_DIR, "INDEX.md"), "w") as f:
    f.write("# Golden files\n\nWritten by scripts/golden/run; do not edit. %d cases, made with %s.\n\n" % (
        total, ", ".join("%s %s" % kv for kv in obj["versions"].items())))
    f.write("| file | cases | with gradients | ops |\n|---|---|---|---|\n" + "\n".join(rows) + "\n\n")
    f.write("Below, for each op: (cases, of them with gradients) and the attributes that occur.\n")
    f.write("\n".join(lines) + "\n")
print("INDEX.md     %5d cases" % total)
