#!/bin/sh
# test_grade_class.sh PROGRAM EXERCISES - a class at once: whatever is handed in,
# everybody has a row, in a fixed order; it goes on where it was killed; shards
# come to the same; and those that are alike are named.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
if ! python3 -c ''; then
    echo "SKIPPED: no python3, which reads the formats"
    the_end
fi

best=$(points_of "$mine/reference.cu")
best=${best#* }
less=$(points_of "$mine/wrong/no_copies.cu")
less=${less% *}

mkdir class class/dora class/none class/eli class/isdir.cu
cp "$mine/reference.cu" class/anna.cu
cp "$mine/wrong/no_copies.cu" class/bob.cu
flat "$subs/sleeps.cu"
cp "$given" class/carl.cu
cp "$mine/maxpool15.cu" class/dora/maxpool15.cu
cp "$mine/wrong/no_copies.cu" class/eli/own_name.cu
echo 'no C++ at all' >class/=eve.cu
ln -s /etc/passwd class/mallory.cu
: >class/empty.cu
head -c 3000 /dev/urandom >class/binary.cu
head -c 3000000 /dev/zero >class/huge.cu
mkfifo class/fifo.cu
flat "$subs/crashes.cu"
cp "$given" class/crash.cu
flat "$subs/floods.cu"
cp "$given" class/flood.cu
echo notes >class/notes.txt
unreadable=
if [ "$(id -u)" != 0 ]; then # root reads all
    cp "$mine/reference.cu" class/secret.cu
    chmod 0 class/secret.cu
    unreadable="\"secret\": \"0\","
fi

cat >rows.py <<END
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
got = {r["student_id"]: r["score"] for r in rows}
want = {"'=eve": "0", "anna": "39", "binary": "0", "bob": "27", "carl": "0",
        "crash": "0", "dora": "0", "eli": "27", "empty": "0", "fifo": "0",
        "flood": "0", "huge": "0", "isdir": "0", "mallory": "0",
        $unreadable "none": "0"}
assert got == want, got
assert all(r["max_score"] == "39" for r in rows)
assert [r["student_id"].lstrip("'") for r in rows] == sorted(
    r["student_id"].lstrip("'") for r in rows)
like = {r["student_id"]: r["similar_to"] for r in rows if r["similar_to"]}
assert like["bob"] == "eli 100 %" and like["eli"] == "bob 100 %", like
# These three have pool.cuh in common, and nobody else has anything.
assert set(like) == {"bob", "eli", "carl", "crash", "flood"}, like
assert "anna" not in str(like.values())
END

# --- killed, and again ---

whole="maxpool15 --all class --timeout 8 --seed 5 --format csv"
# shellcheck disable=SC2086 # words
"$program" grade $whole -j 2 >killed.csv 2>killed.err &
pid=$!
for _ in $(seq 1 300); do
    [ "$(find class/.grades -name '*.key' 2>/dev/null | wc -l)" -ge 3 ] && break
    sleep 0.2
done
kill -s KILL $pid
wait $pid 2>wait
cp -r class before
kept=$(find before/.grades -name '*.key' | wc -l)
what="what was graded before it was killed"
status=$kept
if [ "$kept" -ge 3 ] && [ "$kept" -lt 15 ]; then ok; else bad "$kept"; fi
# shellcheck disable=SC2086
run grade $whole -j 3
is 0
cp out all.csv
what="the rows of a class"
if python3 rows.py all.csv >out 2>err; then ok; else bad "other rows"; fi
what="what was graded before is not graded again"
again=0
for key in before/.grades/maxpool15/*.key; do
    own=class/${key#before/}
    [ -z "$(find "$own" -newer all.csv)" ] && cmp -s "$key" "$own" || again=1
done
if [ $again = 0 ]; then ok; else bad "it is"; fi
run grade maxpool15 --all class --timeout 8
is 0
says out "anna 39 of 39 (graded before)"
says out "=eve 0 of 39, it does not compile"
says out "mallory 0 of 39, it is a symbolic link"
says out "huge 0 of 39, it has 3000000 bytes"
says out "100 % class/bob.cu:4-19 class/eli/own_name.cu:4-19"
never out "anna.cu:"

# Nothing is graded a second time but what has changed.
cp "$mine/reference.cu" class/carl.cu
run grade maxpool15 --all class -j 2 --timeout 8
is 0
says out "carl 39 of 39"
says out "anna 39 of 39 (graded before)"
never out "carl                      38 of  38 (graded before)"
says out "100 % class/anna.cu"
run grade maxpool15 --all class --timeout 8 --format json
is 0
what="similar submissions in JSON"
cat >similar.py <<'END'
import json, sys
for s in json.load(open(sys.argv[1])):
    names = [x["student"] for x in s["similar"]]
    assert names == {"anna": ["carl"], "carl": ["anna"], "bob": ["eli"],
                     "eli": ["bob"], "crash": ["flood"],
                     "flood": ["crash"]}.get(s["student"], []), (s["student"], names)
    for x in s["similar"]:
        assert 60 <= x["percent"] <= 100 and x["lines"][0] <= x["lines"][1], x
END
cp out all.json
if python3 similar.py all.json >out 2>err; then ok; else bad "others"; fi

# --- shards: each in its own process, then all together ---

flat "$subs/sleeps.cu"
cp "$given" class/carl.cu
rm -rf class/.grades
pids=
for i in 1 2 3; do
    # shellcheck disable=SC2086
    "$program" grade $whole -j 1 --shard $i/3 >"shard$i.csv" 2>"shard$i.err" &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid"
done
run grade maxpool15 --all class --timeout 8 --format csv
is 0
what="shards and all come to the same"
if cmp -s out all.csv; then ok; else bad "they do not"; fi
what="each shard has its own rows"
n=$(cat shard?.csv | grep -c maxpool15)
if [ "$n" = "$(($(wc -l <all.csv) - 1))" ]; then ok; else bad "$n"; fi

run grade maxpool15 --all nothing
is 4
run grade maxpool15 --all class --format junit
is 2
run grade maxpool15 --all class --shard 4/3
is 2
run grade maxpool15 --shard 1/3 "$mine/reference.cu"
is 2
run grade maxpool15 --all class "$mine/reference.cu"
is 2

# One that cannot be read is a verdict too, in each format.
for form in json junit gradescope classroom csv; do
    run grade maxpool15 --format $form --output verdict class/mallory.cu
    is 1
    cp verdict out
    [ $form = csv ] || says out "it is a symbolic link"
    never out "not ended"
done

# A name that would write a line of its own, or have the terminal obey.
mkdir odd
echo '#error no' >"odd/$(printf 'e\033[31mx\n  bob  39 of  39').cu"
run grade maxpool15 --all odd
is 0
says out "e?[31mx? bob 39 of 39 0 of 39, it does not compile"
never out "$(printf '\033')"
lines out 2

the_end
