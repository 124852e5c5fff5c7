#!/bin/sh
# page.sh - makes lessons/manual/cycles.md and its plot anew: page.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 4
sh tests/calibrate/accuracy.sh "${1:-build}" --page lessons/manual/cycles.md \
    --picture lessons/manual/cycles.svg >/dev/null
