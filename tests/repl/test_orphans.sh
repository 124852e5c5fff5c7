#!/bin/sh
# test_orphans.sh PROGRAM - while a slow nvcc runs, or a time limit passes, or a
# session waits for its input, it is ended: no compiler and no temporary folder
# stays, and the status says why.
program=$(realpath "$1")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

mkdir -p "$dir/bin" "$dir/include" "$dir/tmp"
: >"$dir/include/cuda_runtime.h"
echo '// slow' >"$dir/t.cu"
echo '// quick' >"$dir/q.cu"
cat >"$dir/bin/nvcc" <<EOF
#!/bin/sh
case "\$1" in
--version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;;
--dryrun) exit;;
esac
while [ \$# -gt 1 ]; do
    case "\$1" in
    -o) out=\$2; shift;;
    -MF) deps=\$2; shift;;
    --keep-dir) keep=\$2; shift;;
    esac
    shift
done
if grep -q quick "\$1"; then
    echo object >\$out
    printf '.version 8.0\n.target sm_90\n.address_size 64\n' >\$keep/x.ptx
    echo "\$out : \$1" >\$deps
    exit
fi
sleep 1000 & echo \$! >$dir/child
echo \$\$ >$dir/nvcc
wait
EOF
cat >"$dir/bin/g++" <<EOF
#!/bin/sh
while [ \$# -gt 0 ]; do [ "\$1" = -o ] && out=\$2; shift; done
echo '#!/bin/sh' >\$out
chmod +x \$out
EOF
chmod +x "$dir/bin/nvcc" "$dir/bin/g++"
export TILECOPY_NVCC="$dir/bin/nvcc" TMPDIR="$dir/tmp" TILECOPY_CACHE="$dir/c"
export PATH="$dir/bin:$PATH"
cases=0 input=/dev/null

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

fails() { # WHAT
    echo "FAILED: $1; left: $(ls "$dir/tmp")"
    failed=1
}

begin() { # COMMAND...: in the background, with SIGINT, which a shell takes away
    rm -f "$dir/nvcc" "$dir/child" "$dir/out"
    : >"$dir/out" # not what the run before has said
    env --default-signal=INT "$@" <"$input" >"$dir/out" 2>&1 &
    pid=$!
    cases=$((cases + 1))
}

ends() { # STATUS WHAT
    wait $pid 2>/dev/null
    got=$?
    wait_until clean && [ $got = "$1" ] ||
        fails "$2: status $got, not $1, said: $(cat "$dir/out")"
}

check() { # SIGNAL STATUS COMMAND...
    signal=$1 status=$2
    shift 2
    begin "$@"
    wait_until started || fails "$*: nvcc did not start"
    kill -"$signal" $pid
    ends "$status" "$signal to $*"
    wait_until gone || fails "$signal to $*: a compiler goes on"
}

# A compiler is at work. Without a home the cache is a folder that goes, too:
# but for SIGKILL.
homeless="env -u TILECOPY_CACHE -u XDG_CACHE_HOME -u HOME"
for end in INT:130 TERM:143 HUP:129 KILL:137; do
    check ${end%:*} ${end#*:} "$program" exec "$dir/t.cu"
    check ${end%:*} ${end#*:} "$program" -e "load $dir/t.cu"
    [ $end = KILL:137 ] && continue
    check ${end%:*} ${end#*:} $homeless "$program" exec "$dir/t.cu"
    check ${end%:*} ${end#*:} $homeless "$program" -e "load $dir/q.cu" \
        -e "load $dir/t.cu" -e "load $dir/q.cu"
done

# A session waits for more input, and has a folder of its own.
mkfifo "$dir/in"
exec 3<>"$dir/in"
input=$dir/in
loaded() { grep -q READY "$dir/out"; }
for end in INT:130 TERM:143 HUP:129; do
    begin $homeless "$program" --batch --keep-going
    printf 'load %s/q.cu\nREADY\n' "$dir" >&3
    printf 'why' >&3
    wait_until loaded || fails "no word of the session: $(cat "$dir/out")"
    [ -n "$(ls "$dir/tmp")" ] || fails "no private folder was made"
    kill -${end%:*} $pid
    ends ${end#*:} "${end%:*} to --batch"
done

# The prompt at a terminal: it, or the process above it, is killed.
child() { cut -d ' ' -f 1 "/proc/$1/task/$1/children" 2>/dev/null; }
if command -v script >/dev/null; then
    mkfifo "$dir/keys"
    exec 4<>"$dir/keys"
    input=$dir/keys
    for generations in 1 2; do
        begin script -qfec "exec '$program'" /dev/null
        printf 'load %s/t.cu\n' "$dir" >&4
        wait_until started || fails "at the prompt nvcc did not start"
        victim=$(child $pid)
        [ $generations = 1 ] || victim=$(child "$victim")
        kill -KILL "$victim" || fails "no process $generations below $pid"
        wait_until gone ||
            fails "a compiler outlives a prompt, killed $generations below"
        wait_until clean || fails "a killed prompt left a folder"
        kill $pid 2>/dev/null
        wait $pid 2>/dev/null
    done
else
    echo "SKIPPED: no script(1) here, so no prompt was killed"
fi
input=/dev/null

# A time limit passes while it is built.
limited() { # STATUS COMMAND...
    status=$1
    shift
    begin "$@"
    ends "$status" "$*"
    started || fails "$*: nvcc did not start"
    gone || fails "$*: a compiler goes on"
}
for command in "-e|load $dir/t.cu" "$dir/t.cu|-e|6*7" "exec|$dir/t.cu"; do
    IFS='|'
    set -- $command
    unset IFS
    case $1 in
    exec) limited 114 "$program" exec --timeout 1 "$2" ;;
    *) limited 114 "$program" --timeout 1 "$@" ;;
    esac
    grep -q "time limit" "$dir/out" || fails "said: $(cat "$dir/out")"
done
[ $failed = 0 ] && echo "orphans: none in $cases cases"
exit $failed
