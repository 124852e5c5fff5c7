#!/bin/sh
# check_names.sh - what the library exports begins with tc_, or tcl_ (layouts):
# check_names.sh LIBRARY.
set -u
nm -g --defined-only "$1" | awk '
NF == 3 { n++ }
NF == 3 && $3 !~ /^_?(tc_|tcl_|__odr_asan)/ {
    printf "%s: does not begin with tc_ or tcl_\n", $3
    bad++
}
END {
    printf "check_names: %d names, %d without tc_ or tcl_\n", n, bad
    exit n == 0 || bad > 0
}'
