#!/bin/sh
# test_grade_slurm.sh PROGRAM EXERCISES - a class as a Slurm job array, on a
# cluster of this machine alone: what the tasks leave comes to the same as
# `--all`. And the GPU of a node by `--runner "srun --gres=gpu:1"`.
. "$(dirname "$0")/grade.inc"
. "$(dirname "$0")/slurm.inc"
need_compiler
trap 'end_slurm; rm -rf "$top"' EXIT
begin_slurm || the_end
cd "$top" || exit 1

# --- a job array ---

run exercise slurm maxpool15
is 0
mkdir class
cp "$mine/reference.cu" class/anna.cu
cp "$mine/wrong/no_copies.cu" class/bob.cu
cp "$mine/maxpool15.cu" class/dora.cu
echo 'no C++ at all' >class/eve.cu
cp -r class alone
run grade maxpool15 --all alone --seed 7 --format csv
is 0
cp out alone.csv
GRADE_OPTIONS="--seed 7" sbatch --wait --array=1-3 --mem=1G \
    maxpool15-slurm/grade.sbatch "$top/class" >out 2>err
status=$?
what="sbatch --array=1-3 grade.sbatch class"
is 0
cat slurm-*.out >rows 2>/dev/null
what="rows of the tasks"
n=$(grep -c '^"maxpool15"' rows)
if [ "$n" = 4 ]; then ok; else
    cp rows out
    bad "$n"
fi
run grade maxpool15 --all class --seed 7 --format csv
is 0
cp out all.csv
what="the class by Slurm, and by one machine"
if cmp -s all.csv alone.csv; then ok; else bad "they differ"; fi
run grade maxpool15 --all class --seed 7
says out "anna"
says out "(graded before)"
says out ", it does not compile (graded before)"

# --- a GPU of a node ---

if cc -w -shared -fPIC -o fake.so "$subs/../built/fake_cuda.c" 2>cc.err; then
    TILECOPY_LIBCUDA=$top/fake.so
    export TILECOPY_LIBCUDA
    cp "$program" tilecopy-repl
    cat >add.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry where(.param .u64 p) { ret; }
END
    run -e "launch where 1 32 i32[64]" -e gpu add.ptx
    near=$status
    cp out near
    run --runner "srun -Q --gres=gpu:1 $top/tilecopy-repl" \
        -e "launch where 1 32 i32[64]" -e gpu add.ptx
    is $near
    what="a GPU by srun says what one here says"
    sed 's/[0-9.]* [mu]s//' near >near.text
    if sed 's/[0-9.]* [mu]s//' out | cmp -s - near.text; then ok; else bad "not"; fi
    says out "Fake GPU"
    run --runner "srun -Q --gres=gpu:7 $top/tilecopy-repl" \
        -e "launch where 1 32 i32[64]" -e gpu add.ptx
    is 110
    says err "srun"
fi
unset TILECOPY_LIBCUDA
run --runner "srun -Q $top/tilecopy-repl" -e gpu "$subs/../../lessons/ldgsts.py"
is 110
says err "no GPU here"

the_end
