#!/bin/sh
# The random pipelines of tests/unit/sim/race/test_pipelines.c on a GPU: does each leave
# the bytes that it means?
#
#     test_pipelines --write FOLDER N
#     pipelines.sh PTX_HOST FOLDER
#
# Each .ptx says how it is launched and, a line for each buffer, what it must
# leave. Prints what differs, and the count. Status: 0 if nothing does.
set -u
host=$1
folder=$2
same=0
other=0
for file in "$folder"/*.ptx; do
    launch=$(sed -n 's,^// launch: ,,p' "$file")
    want=$(sed -n 's,^// \(a[0-9] .*\),\1,p' "$file")
    # shellcheck disable=SC2086
    got=$(timeout 20 "$host" "$file" $launch 2>&1)
    if [ "$got" = "$want" ]; then
        same=$((same + 1))
    else
        other=$((other + 1))
        echo "$(basename "$file"): $launch"
        printf 'wanted\n%s\ngot\n%s\n' "$want" "$got"
    fi
done
echo "$same programs left the bytes that they mean, $other did not"
[ "$other" -eq 0 ]
