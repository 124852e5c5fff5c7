#!/bin/sh
# Runs every program of this folder on the attached GPU and prints one JSON line
# each: record.sh TILECOPY_REPL. What an H200 answered is in h200.jsonl.
set -u
for seed in 0 1 12345; do
    for f in tests/gpu/*.py; do
        printf '{"program":"%s","seed":%d,"reply":' "$(basename "$f")" "$seed"
        "$1" --json --seed "$seed" -e gpu "$f" | tr -d '\n'
        echo '}'
    done
done
