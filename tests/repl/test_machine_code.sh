#!/bin/sh
# test_machine_code.sh PROGRAM - times from the machine code, which the other
# tests do without: in each trace a copy is issued, committed, complete and
# waited for in this order, and all of it happens; the reply says what the cycles
# are of. Of lessons, of correct mutants, and of pipelines.
program=$1
unset TILECOPY_PTXAS
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0

if ! python3 -c ''; then
    echo "SKIPPED: no python3, which reads the traces"
    echo "0 passed, 0 failed"
    exit 0
fi
if "$program" --json -e run lessons/ldgsts.py 2>&1 </dev/null |
    grep -q '"model":"ptx"'; then
    echo "SKIPPED: no ptxas here"
    echo "0 passed, 0 failed"
    exit 0
fi

cat >"$top/order.py" <<'END'
import json, sys
run, timeline = [json.loads(line) for line in sys.stdin]
assert timeline["ok"] and run["kernels"][0]["model"] == "sass", run["kernels"]
assert timeline["model"] == "sass"
assert run["kernels"][0]["cycles"] > 0
groups, last = {}, 0
for e in timeline["events"]:
    assert e["end"] is None or e["end"] >= e["cycle"], e
    if e["group"] is not None and e["kind"] in ("issue", "commit", "complete"):
        key = e["cta"], e["warp"], e["group"]
        groups.setdefault(key, {}).setdefault(e["kind"], []).append(e["cycle"])
for key, g in groups.items():
    if set(g) == {"commit"}: # an empty group
        continue
    assert set(g) == {"issue", "commit", "complete"}, (key, g)
    assert max(g["issue"]) <= min(g["commit"]), (key, g)
    assert max(g["issue"]) < max(g["complete"]), (key, g)
assert groups or sys.argv[1] == "none", "no groups"
END

check() { # check GROUPS OPTION... : a run and its timeline
    wants=$1
    shift
    if timeout 100 "$program" --json "$@" -e timeline </dev/null \
        >"$top/out" 2>"$top/err" &&
        tail -n 2 "$top/out" | python3 "$top/order.py" "$wants" \
            2>"$top/err"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $*"
        tail -n 3 "$top/err"
    fi
}

check groups -e run lessons/ldgsts.py
check none -e run lessons/dsmem.py
stages=tests/calibrate/validation/pipelines.ptx
for kernel in tiles_1_of_16 tiles_2_of_16 tiles_3_of_16; do
    check groups -e "launch $kernel 2 256 f32[16384] f32[16384] 8 4 u64[64]" \
        $stages
done
check none -e 'launch ring_2 1 256 f32[16384] f32[16384] 4 0 u64[64]' $stages

echo "$passed passed, $failed failed"
[ $failed = 0 ]
