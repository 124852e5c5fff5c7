#!/bin/sh
# test_grade_exercises.sh PROGRAM EXERCISES - every exercise holds: its reference
# gets all points, its beginning fails, each wrong answer fails for the reason
# that its exercise.yml states. And a folder that `exercise new` makes holds too.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1

for folder in "$exercises"/*/; do
    name=$(basename "$folder")
    run exercise check "$name"
    is 0
    says out "$name: all as it should be"
    lines err 0
done

run exercise new scale
is 0
run exercise check ./scale
is 0
says out "scale: all as it should be"

# A wrong answer that passes, and one that fails for another reason.
cp scale/reference.cu scale/wrong/adds.cu
sed -i 's/past_the_end.cu, fails: out-of-bounds/past_the_end.cu, fails: data-race/' \
    scale/exercise.yml
run exercise check ./scale
is 1
says out "wrong/adds.cu: it passes, and should fail for wrong-value"
says out "wrong/past_the_end.cu: it should fail for data-race, and fails otherwise"
sed -i 's/measure: writing_threads/measure: writing_thraeds/' scale/exercise.yml
run exercise check ./scale
is 3
says err "there is no measure 'writing_thraeds'"
says err "hint: writing_threads"
run exercise new scale
is 1
says err "cannot make the folder 'scale'"
run exercise new 'a b'
is 2
run exercise check nothing
is 2

the_end
