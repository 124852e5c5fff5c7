#!/bin/sh
# record.sh PROGRAM - runs what the whole screens of screen_*.tui show, once, and
# writes their traces anew. The cases load these, so that another clock does not
# change a screen: only another view does. To be run when the format of a trace
# has changed, or to see new rows; then UPDATE=1 case.sh, and read the screens.
set -eu
program=$(readlink -f "${1:?usage: record.sh TILECOPY-REPL}")
cd "$(dirname "$0")/../.."
TILECOPY_PTXAS=none
export TILECOPY_PTXAS
to=tests/tui/traces
record() {
    name=$1
    shift
    "$program" "$@" -e "export trace $to/$name.trace"
}
record ldgsts lessons/ldgsts.py -e run
record ldgsts_sm_80 --arch sm_80 lessons/ldgsts.py -e run
record dsmem tests/tui/dsmem_small.py -e run
record no_commit tests/tui/no_commit.py -e run || [ $? -eq 1 ] # it has a finding
record groups tests/tui/groups.py -e run
record pipeline tests/mutants/pipeline_ok.ptx \
    -e 'launch pipeline_ok 1 64 u32[128] u32[32]'
record tcgen05 --arch sm_100a lessons/tcgen05_ldst.py -e run
