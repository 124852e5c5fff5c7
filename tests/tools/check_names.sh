#!/bin/sh
# check_names.sh - what the library exports begins with tc_, or tcl_ (layouts):
# check_names.sh LIBRARY. Where it is not built yet, this says so.
set -u
library=$1
if [ ! -f "$library" ]; then
    echo "check_names: SKIPPED: there is no $library: make builds it"
    exit 0
fi
nm -g --defined-only "$library" | awk '
NF == 3 { n++ }
NF == 3 && $3 !~ /^_?(tc_|tcl_|__odr_asan)/ {
    printf "%s: does not begin with tc_ or tcl_\n", $3
    bad++
}
END {
    printf "check_names: %d names, %d without tc_ or tcl_\n", n, bad
    exit bad > 0
}'
