#!/bin/sh
# What compute-sanitizer finds in tests/mutants, on a machine with a GPU:
#
#     sanitizer_table.sh PTX_HOST [COMPUTE_SANITIZER] >table.jsonl
#
# Each mutant runs under no tool and under each of the four, LIMIT seconds (10)
# each, JOBS (4) at a time; what hangs is killed. One JSON line for each:
#     {"mutant","expect","tool","errors":N|null,"message","end","status"}
# errors is null when the tool gave no count; end is "ended" or "timeout";
# status is the program's own. Tool "none" is the plain run: message then has
# its error, or the buffers' hashes.
set -u

# escape: standard input as the inside of a JSON string, in one line.
escape() {
    tr '\n\t' '; ' | sed 's/[\\"]/ /g; s/;$//' | tr -d '\000-\037'
}

# one HOST SANITIZER TOOL FILE: prints the line.
one() {
    host=$1 sanitizer=$2 tool=$3 file=$4
    launch=$(sed -n 's,^// launch: ,,p' "$file")
    expect=$(sed -n 's,^// expect: ,,p' "$file")
    out=$(mktemp)
    set -f # the brackets of f32[64] are no pattern
    if [ "$tool" = none ]; then
        # shellcheck disable=SC2086
        timeout -k 2 "${LIMIT:-10}" "$host" "$file" $launch >"$out" 2>&1
    else
        # shellcheck disable=SC2086
        timeout -k 2 "${LIMIT:-10}" "$sanitizer" --target-processes all --tool "$tool" \
            "$host" "$file" $launch >"$out" 2>&1
    fi
    status=$?
    set +f
    end=ended
    [ "$status" -eq 124 ] || [ "$status" -eq 137 ] && end=timeout
    if [ "$tool" = none ]; then
        errors=0
        [ "$status" -eq 0 ] || errors=1
        message=$(escape <"$out")
    else
        # "RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)"
        errors=$(sed -n 's/^========= RACECHECK SUMMARY: \([0-9]*\) haz.*/\1/p
            s/^========= ERROR SUMMARY: \([0-9]*\) err.*/\1/p' "$out" |
            sort -n | tail -n 1)
        message=$(grep '^========= ' "$out" | grep -v 'COMPUTE-SANITIZER\|SUMMARY' |
            head -n 1 | sed 's/^========= *//' | escape)
    fi
    printf '{"mutant":"%s","expect":"%s","tool":"%s","errors":%s,"message":"%s","end":"%s","status":%d}\n' \
        "$(basename "$file" .ptx)" "$expect" "$tool" "${errors:-null}" \
        "$message" "$end" "$status"
    rm -f "$out"
}

if [ "${1:-}" = --one ]; then
    shift
    one "$@"
    exit 0
fi
if [ $# -lt 1 ]; then
    echo "usage: sanitizer_table.sh PTX_HOST [COMPUTE_SANITIZER]" >&2
    exit 2
fi
host=$1
sanitizer=${2:-compute-sanitizer}
mutants=$(dirname "$0")/../mutants
for file in "$mutants"/*.ptx; do
    for tool in none memcheck racecheck synccheck initcheck; do
        printf '%s\n%s\n' "$tool" "$file"
    done
done | xargs -P "${JOBS:-4}" -n 2 sh "$0" --one "$host" "$sanitizer" | sort
