#!/bin/sh
# test_orphans.sh PROGRAM - while a slow nvcc runs, exec and load are ended by
# signals: no compiler and no temporary folder stays, the status is 128 + N.
program=$(realpath "$1")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

mkdir -p "$dir/bin" "$dir/include" "$dir/tmp"
: >"$dir/include/cuda_runtime.h"
echo 'int main() {}' >"$dir/t.cu"
cat >"$dir/bin/nvcc" <<EOF
#!/bin/sh
case "\$1" in
--version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;;
--dryrun) exit;;
esac
sleep 1000 & echo \$! >$dir/child
echo \$\$ >$dir/nvcc
wait
EOF
chmod +x "$dir/bin/nvcc"
export TILECOPY_NVCC="$dir/bin/nvcc" TMPDIR="$dir/tmp" TILECOPY_CACHE="$dir/c"

running() { # PID: alive, and no zombie
    state=$(sed -n 's/.*) \(.\).*/\1/p' "/proc/$1/stat" 2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ]
}

wait_until() { # for 20 s at most
    n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 400 ] || return 1
        sleep 0.05
    done
}
started() { [ -s "$dir/nvcc" ] && [ -s "$dir/child" ]; }
gone() { ! running "$(cat "$dir/nvcc")" && ! running "$(cat "$dir/child")"; }
clean() { [ -z "$(ls "$dir/tmp")" ]; }

check() { # SIGNAL STATUS ARGUMENT...
    signal=$1 status=$2
    shift 2
    rm -f "$dir/nvcc" "$dir/child"
    # a shell's background jobs ignore SIGINT: env gives it back
    env --default-signal=INT "$program" "$@" </dev/null >/dev/null 2>&1 &
    pid=$!
    wait_until started || echo "nvcc did not start"
    kill -"$signal" $pid
    wait $pid 2>/dev/null
    got=$?
    if wait_until gone && wait_until clean && [ $got = "$status" ]; then
        return
    fi
    echo "FAILED: $signal to $*: status $got, not $status; left: $(ls "$dir/tmp")"
    failed=1
}

for way in exec -eload; do
    for end in INT:130 TERM:143 HUP:129 KILL:137; do
        if [ $way = exec ]; then
            check ${end%:*} ${end#*:} exec "$dir/t.cu"
        else
            check ${end%:*} ${end#*:} -e "load $dir/t.cu"
        fi
    done
done
[ $failed = 0 ] && echo "orphans: none in 8 cases"
exit $failed
