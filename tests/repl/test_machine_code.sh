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

# Loops that ptxas unrolls whole, 256 turns and 32 times 16: they end, and are
# not charged again for each turn.
cat >"$top/turns.py" <<'END'
@T.prim_func
def turns(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 16, 64), "float32", layout=TileLayout(S[(32, 16, 64)]))
    B = T.match_buffer(B_ptr, (32768,), "float32")
    T.device_entry()
    cta_id = T.cta_id([1])
    wg_id = T.warpgroup_id([1])
    tid = T.thread_id([128])
    A_smem = T.alloc_buffer((32, 16, 64), "float32", scope="shared", layout=TileLayout(S[(32, 16, 64)]))
    Tx.wg.copy(A_smem[0:32, 0:16, 0:64], A[0:32, 0:16, 0:64])
    T.cuda.cta_sync()
    for i in T.serial(256):
        k = i * 128 + tid
        B[k] = A_smem[(k) // 1024, ((k) // 64) % 16, (k) % 64]
END
cat >"$top/nested.py" <<'END'
@T.prim_func
def nested(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 16), "float16", layout=TileLayout(S[(32, 16)]))
    B = T.match_buffer(B_ptr, (512,), "float16")
    T.device_entry()
    cta_id = T.cta_id([1])
    warp_id = T.warp_id([4])
    tid = T.thread_id([128])
    A_smem = T.alloc_buffer((68, 16), "float16", scope="shared", layout=TileLayout(S[(68, 16) : (16, 1)]))
    for i in T.serial(4):
        k = i * 128 + tid
        A_smem[(k) // 16, (k) % 16] = B[k]
    T.cuda.cta_sync()
    if warp_id == 0:
        Tx.warp.copy(A[0:32, 0:16], A_smem[0:32, 0:16], dispatch="fallback")
END
cat >"$top/unrolled.py" <<'END'
import json, sys
run = json.loads(sys.stdin.readlines()[-1])
k = run["kernels"][0]
assert run["status"] == "ok" and not run["findings"], run
assert k["model"] == "sass", k
print(k["thread_instructions"])
END
for file in turns nested; do
    n=$(timeout 100 "$program" --json -e run "$top/$file.py" </dev/null |
        python3 "$top/unrolled.py") &&
        all=$(timeout 100 env TILECOPY_PTXAS=none "$program" --json \
            -e 'set timing off' -e run "$top/$file.py" </dev/null |
            grep -o '"thread_instructions":[0-9]*' | tail -n 1) &&
        [ "$n" -lt "${all#*:}" ]
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $file: $n of $all"
    fi
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
