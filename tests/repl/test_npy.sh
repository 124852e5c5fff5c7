#!/bin/sh
# test_npy.sh PROGRAM - launch --init and --save: files that Python writes are
# what kernels read, and what they leave is what Python reads; what does not fit
# is said.
program=$(realpath "$1")
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0

if ! python3 -c ''; then
    echo "SKIPPED: no python3"
    echo "0 passed, 0 failed"
    exit 0
fi
cd "$top" || exit 1
cat >double.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y) {
    .reg .b32 %t; .reg .b64 %a<4>; .reg .f32 %f;
    ld.param.u64 %a1, [x];
    ld.param.u64 %a2, [y];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %a3, %t, 4;
    add.s64 %a1, %a1, %a3;
    add.s64 %a2, %a2, %a3;
    ld.global.f32 %f, [%a1];
    add.f32 %f, %f, %f;
    st.global.f32 [%a2], %f;
    ret;
}
END
cat >npy.py <<'END'
import ast, struct, sys
def read(path):
    b = open(path, "rb").read()
    assert b[:8] == b"\x93NUMPY\x01\x00"
    n = struct.unpack("<H", b[8:10])[0]
    assert (10 + n) % 64 == 0
    return ast.literal_eval(b[10:10 + n].decode()), b[10 + n:]
def write(path, descr, shape, data, order=False):
    h = str({"descr": descr, "fortran_order": order, "shape": shape})
    h = (h + " " * (-(10 + len(h) + 1) % 64) + "\n").encode()
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(h)) + h + data)
if sys.argv[1] == "make":
    x = struct.pack("<32f", *[i / 4 for i in range(32)])
    write("x.npy", "<f4", (32,), x)
    write("square.npy", "<f4", (4, 8), x)
    write("ints.npy", "<i4", (32,), x)
    write("short.npy", "<f4", (16,), x[:64])
    write("fortran.npy", "<f4", (4, 8), x, True)
    write("big.npy", ">f4", (32,), x)
    open("none.npy", "w").write("no array")
else:
    header, data = read("y.npy")
    assert header == {"descr": "<f4", "fortran_order": False, "shape": (4, 8)}, header
    assert list(struct.unpack("<32f", data)) == [i / 2 for i in range(32)]
END
python3 npy.py make

report() { # report OK NAME
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        cat out
    fi
}
launch() { # launch OPTIONS : what it says is in out
    "$program" double.ptx -e "launch twice 1 32 $* f32[32] f32[4,8]" \
        </dev/null >out 2>&1
}

for from in x square; do
    rm -f y.npy
    launch --init a0=$from.npy --save a1=y.npy && python3 npy.py check 2>>out
    report $? "$from.npy twice"
done
launch --init a0=x.npy --init a1=x.npy --save a0=same.npy &&
    tail -c 128 x.npy >a && tail -c 128 same.npy >b && cmp a b
report $? "two files, and one that is unchanged"
refused() { # refused WORDS OPTIONS
    words=$1
    shift
    ! launch "$@" && grep -q "$words" out
    report $? "$*: $words"
}
refused "elements are 'i4'" --init a0=ints.npy
refused 'it has 64 bytes of elements, and the buffer 128' --init a0=short.npy
refused "Fortran's order" --init a0=fortran.npy
refused 'not plain little-endian' --init a0=big.npy
refused 'it is no .npy file' --init a0=none.npy
refused 'cannot be read' --init a0=nowhere.npy
refused "no buffer 'a7'" --init a7=x.npy
refused "no buffer 'b'" --save b=x.npy
refused 'names no buffer and file' --save x.npy
refused 'cannot be written' --save a1=no/where.npy

echo "$passed passed, $failed failed"
exit $((failed != 0))
