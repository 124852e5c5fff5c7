#!/bin/sh
# test_grade_install.sh PROGRAM EXERCISES - grading with the installed
# program, from any folder.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1

# --- installed, from any folder ---

what="make install"
if make -s -o all -C "$mine/../.." install BUILD="$(dirname "$program")" \
    DESTDIR="$top/dest" PREFIX=/usr >out 2>err; then
    ok
else
    bad "it fails"
fi
unset TILECOPY_EXERCISES
with=$program
program=$top/dest/usr/bin/tilecopy-repl
passes "$mine/reference.cu"
fails "$mine/maxpool15.cu" "out[0] was never written"
run lesson
is 0
says out 01-first-steps
for text in exercises/maxpool15/README.md exercises/maxpool15/maxpool15.cu \
    exercises/maxpool15/run.py lessons/cuda/saxpy/saxpy_v6.cu; do
    what="make install"
    if [ -f "dest/usr/share/tilecopy-repl/$text" ]; then
        ok
    else
        bad "$text is not installed"
    fi
done
if python3 -c '' 2>err; then # `python run.py test`, from another folder
    (unset TILECOPY_REPL
     python3 dest/usr/share/tilecopy-repl/exercises/maxpool15/run.py test \
         "$mine/reference.cu") >out 2>err
    status=$?
    what="run.py of what is installed"
    is 0
    says out "the exercise is passed."
fi
run -e exercise
is 0
says out "maxpool15"
program=$with
TILECOPY_EXERCISES=$exercises
export TILECOPY_EXERCISES

the_end
