#!/bin/sh
# conformance.sh TEST_CONFORMANCE - ptxas assembles the PTX and nvcc compiles
# the CUDA text of every copy of the corpus that has them.
set -u
test=$1
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
export PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
"$test" --write "$work" || exit 1
for tool in ptxas nvcc; do
    if ! command -v $tool >/dev/null 2>&1; then
        echo "SKIPPED: no $tool found"
        : >"$work/no-$tool"
    fi
done

# each TOOL COUNT COMMAND: runs COMMAND ARCH FILE over the files in $files, two
# at once; says where it stands after every COUNT files.
each() {
    tool=$1
    [ -e "$work/no-$tool" ] && return
    total=$(wc -l <"$work/files")
    : >"$work/$tool.done"
    : >"$work/$tool.log"
    W=$work TOTAL=$total TOOL=$tool RUN=$3 \
        xargs -n "$2" -P 2 sh -c 'for f; do
    arch=${f%/*}
    arch=${arch##*/}
    eval "$RUN" >>"$W/$TOOL.log" 2>&1 ||
        { echo "FAILED $f"; echo "$f" >>"$W/$TOOL.failed"; }
    echo "$f" >>"$W/$TOOL.done"
done
echo "$TOOL: $(wc -l <"$W/$TOOL.done") of $TOTAL files"' sh <"$work/files"
}

find "$work/ptx" -name '*.ptx' | sort >"$work/files"
programs=$(wc -l <"$work/files")
# For the least arch, which the text names, and for the corpus line's.
each ptxas 100 'least=$(sed -n "s/^.target //p" "$f")
ptxas -arch=$least "$f" -o /dev/null && case $least in
*a) ;;
*) ptxas -arch=$arch "$f" -o /dev/null ;;
esac'
find "$work/cuda" -name '*.cu' | sort >"$work/files"
each nvcc 2 'nvcc -w -std=c++17 -arch=$arch -ptx "$f" -o /dev/null'

status=0
for tool in ptxas nvcc; do
    if [ -e "$work/no-$tool" ]; then
        continue
    elif [ -e "$work/$tool.failed" ]; then
        status=1
        grep -i 'error' "$work/$tool.log"
        echo "$tool: $(wc -l <"$work/$tool.failed") files failed"
    else
        echo "$tool: $programs of $programs programs accepted"
    fi
done
exit $status
