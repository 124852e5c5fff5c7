#!/bin/sh
# test_full.sh PROGRAM - a full disk for temporary files or for the cache, and
# few open files: `exec` says what is missing, `grade` that it could not grade,
# nothing half is left, and the next run that has room works.
set -u
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")

# In a namespace of its own, so that no mount outlives this script.
if [ "${IN_NAMESPACE-}" != "$$" ]; then
    for how in -m -rm; do
        if unshare $how sh -c 'mount -t tmpfs -o size=16k tmpfs /mnt &&
            mount -o remount,size=8k,nr_inodes=100 /mnt' 2>/dev/null; then
            exec unshare $how sh -c 'IN_NAMESPACE=$$ exec sh "$@"' sh \
                "$here/test_full.sh" "$program"
        fi
    done
    echo "SKIPPED: no file system can be mounted here"
    exit 0
fi

dir=$(mktemp -d) || exit 2
small=$dir/small
trap 'umount "$small"; rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/include" "$dir/tmp" "$small"
mount -t tmpfs -o size=16k tmpfs "$small" || exit 2
TILECOPY_EXERCISES=$(realpath "$here/../../exercises")
real=$(command -v g++ >/dev/null && command -v nvcc)
export TILECOPY_EXERCISES
unset TILECOPY_GRADE_CACHE # a build is to find the disk full
cases=0 failed=0

# An nvcc that leaves an object and PTX, and says what has no room.
: >"$dir/include/cuda_runtime.h"
echo '// a program' >"$dir/t.cu"
cat >"$dir/bin/nvcc" <<'END'
#!/bin/sh
set -e
case "$1" in
--version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;;
--dryrun) exit;;
esac
while [ $# -gt 1 ]; do
    case "$1" in
    -o) out=$2; shift;;
    -MF) deps=$2; shift;;
    --keep-dir) keep=$2; shift;;
    esac
    shift
done
head -c 30000 /bin/sh >$out
cat >$keep/x.ptx <<PTX
.version 8.0
.target sm_90
.address_size 64
PTX
echo "$out : $1" | cat >$deps
END
cat >"$dir/bin/g++" <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
{ echo '#!/bin/sh'; echo exit; head -c 30000 /bin/sh; } >$out || exit 1
chmod +x $out
END
chmod +x "$dir/bin/nvcc" "$dir/bin/g++"

bad() {
    echo "FAILED: $what (status $status): $1"
    sed 's/^/  said: /' "$dir/out"
    failed=1
}

room() { # room OPTIONS FOR: the small disk is empty, and has no more than that
    find "$small" -mindepth 1 -delete
    # the kernel lets go of a sandbox's mounts a little after its last process
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        mount -o "remount,$1" "$small" 2>/dev/null && break
        sleep 0.2
    done
    mount -o "remount,$1" "$small" || exit 2
    what="$1 for $2"
}

run() { # run STATUS TEXT ENV... PROGRAM ARG...
    expected=$1 text=$2
    shift 2
    cases=$((cases + 1))
    env "$@" >"$dir/out" 2>&1 </dev/null
    status=$?
    [ $status = "$expected" ] || bad "not $expected"
    tr -s ' \n' '  ' <"$dir/out" | grep -qF -e "$text" ||
        [ -z "$text" ] || bad "lacks: $text"
    if grep -q "0 of 21" "$dir/out"; then bad "it is graded"; fi
    for left in "$dir/tmp"/* "$small"/tilecopy-?????? \
        "$small"/tilecopy-repl/v1/tilecopy-new-* \
        "$dir/c"/tilecopy-repl/v1/tilecopy-new-*; do
        if [ -e "$left" ]; then bad "left: $left"; fi
    done
}

fake="PATH=$dir/bin:$PATH TILECOPY_NVCC=$dir/bin/nvcc"
to_tmp="TMPDIR=$small TILECOPY_CACHE=$dir/c"
to_cache="TMPDIR=$dir/tmp TILECOPY_CACHE=$small"
full="No space left on device"

# --- exec ---
# shellcheck disable=SC2086 # words
{
    for size in size=4k size=16k size=32k size=48k size=64k; do
        room $size,nr_inodes=100 TMPDIR
        run 1 "$full" $fake $to_tmp "$program" exec "$dir/t.cu"
        grep -qF "$small" "$dir/out" || bad "does not name the folder"
    done
    room size=4k,nr_inodes=1 TMPDIR
    run 1 "no folder for temporary files: $full" $fake $to_tmp "$program" \
        exec "$dir/t.cu"
    room size=8m,nr_inodes=100 TMPDIR
    run 0 "" $fake $to_tmp "$program" exec "$dir/t.cu"
    room size=4k,nr_inodes=1 TMPDIR # it is built: nothing more is needed
    run 0 "" $fake $to_tmp "$program" exec "$dir/t.cu"

    for size in size=8k size=16k size=32k; do
        room $size,nr_inodes=100 TILECOPY_CACHE
        run 1 "$small/tilecopy-repl/v1: $full" $fake $to_cache "$program" \
            exec "$dir/t.cu"
    done
    mount -o remount,size=8m "$small"
    run 0 "" $fake $to_cache "$program" exec "$dir/t.cu"

    # Read-only: what is kept there is used; where nothing is, nothing is kept.
    mount -o remount,ro "$small"
    run 0 "" $fake $to_cache "$program" exec "$dir/t.cu"
    mount -o remount,rw "$small"
    room size=8m TILECOPY_CACHE
    mount -o remount,ro "$small"
    run 0 "$small/tilecopy-repl: Read-only file system" $fake $to_cache \
        "$program" exec "$dir/t.cu"
    mount -o remount,rw "$small"

    for n in 20 40 60; do
        rm -rf "$dir/c"
        what="ulimit -n $n"
        run 0 "" $fake TMPDIR="$dir/tmp" TILECOPY_CACHE="$dir/c" \
            sh -c "ulimit -n $n; exec '$program' exec '$dir/t.cu'"
    done
}

# --- a cache that is emptied while a session is open ---

what="a build is removed between runs"
cat >"$dir/bin/g++" <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
echo '#!/bin/sh' >$out
echo "rm -rf '$TILECOPY_CACHE'/tilecopy-repl/v1/*; echo ran" >>$out
chmod +x $out
END
rm -rf "$dir/c"
# shellcheck disable=SC2086
run 0 "ran" $fake TMPDIR="$dir/tmp" TILECOPY_CACHE="$dir/c" "$program" \
    -e "load $dir/t.cu" -e run -e run -e run
[ "$(grep -c '^ran' "$dir/out")" = 3 ] || bad "it did not run 3 times"

# --- grade ---

could_not="could not be graded: it has neither passed nor failed"
# shellcheck disable=SC2086 # words
{
    for size in size=4k size=48k; do
        room $size,nr_inodes=100 TMPDIR
        run 4 "$could_not" $fake $to_tmp "$program" grade maxpool15 "$dir/t.cu"
    done
    room size=4k,nr_inodes=1 TMPDIR
    run 4 "$full" $fake $to_tmp "$program" grade maxpool15 "$dir/t.cu"
    for n in 20 40 60; do
        what="ulimit -n $n"
        run 4 "cannot grade: this shell allows fewer than" $fake \
            TMPDIR="$dir/tmp" sh -c \
            "ulimit -n $n; exec '$program' grade maxpool15 '$dir/t.cu'"
    done
}
# A grading has a cache of its own, so that a full one takes nothing from it.
if [ -n "$real" ]; then
    reference=$TILECOPY_EXERCISES/maxpool15/reference.cu
    room size=2m,nr_inodes=1000 TMPDIR
    # shellcheck disable=SC2086
    run 4 "$could_not" $to_tmp "$program" grade maxpool15 "$reference"
    grep -qF "in $small: $full" "$dir/out" || bad "does not name the folder"
    room size=4k,nr_inodes=1 TILECOPY_CACHE
    # shellcheck disable=SC2086
    run 0 "22 of 22 cases pass" $to_cache "$program" grade maxpool15 \
        --seed 3 "$reference"
fi
[ $failed = 0 ] && echo "full: $cases cases"
exit $failed
