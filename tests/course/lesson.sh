#!/bin/sh
# lesson.sh PROGRAM - the guided lesson: its screens, what it asks and answers,
# progress, and that a wrong lesson is told from a right one. Its lesson is
# sample/01-sample.md.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
top=$(mktemp -d "${TMPDIR:-/tmp}/lesson.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
mkdir "$top/lessons" "$top/elsewhere"
cp "$here/sample/01-sample.md" "$top/lessons"
cp "$here/../../lessons/ldgsts.py" "$top/lessons"
TILECOPY_LESSONS=$top/lessons
XDG_STATE_HOME=$top/state
TILECOPY_PTXAS=none
LC_ALL=C.UTF-8
export TILECOPY_LESSONS XDG_STATE_HOME TILECOPY_PTXAS LC_ALL
cd "$top/elsewhere" || exit 1

# type LINE...: typed one after the other, into a session of its own.
type_() {
    printf '%s\n' "$@" | timeout 120 "$program" --batch --keep-going \
        >"$top/out" 2>&1
    status=$?
    what="$*"
}
says() { # says REGEX
    if grep -qE -e "$1" "$top/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what (status $status): lacks $1"
        sed 's/^/  | /' "$top/out" | head -n 40
    fi
}
never() { # never REGEX
    if grep -qE -e "$1" "$top/out"; then
        failed=$((failed + 1))
        echo "FAILED: $what: has $1"
    else
        passed=$((passed + 1))
    fi
}
done_tasks() { "$program" lesson | grep -o '[0-9]*/[0-9]*' | head -n 1; }
is() { # is WORD WORD TEXT
    if [ "$1" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $3: '$1', not '$2'"
    fi
}

# a screen has no fences, no comment, no line beyond 80 columns
type_ 'lesson 1'
says '^Lesson 01: A sample'
says '^float16, aligned +8 +sixteen'
says '^`next` goes on \(1/5\)\.$'
type_ 'lesson 01' next
says '^Lesson 01, step 1 of 2: Numbers$'
says '^\| Predict\. How many rounds'
says '^Type the number; `hint`, `solution`; `next` goes on \(2/5\)\.$'
never '```'
never '<!--'
awk 'length($0) > 80 { bad = 1 } END { exit bad }' "$top/out"
is $? 0 'lines of at most 80 columns'

# it is left off where it was, in another session, from another folder
type_ 'lesson sample'
says '^Lesson 01, step 1 of 2'
type_ 'lesson 01' back
says '^Lesson 01: A sample'
type_ 'lesson 01' back
says 'the lesson.s first screen'

# predict: wrong, the hint that goes with it, right
type_ 'lesson 01' next 5 4 hint hint hint solution 8
says '^Not yet\. 4096 elements'
says '^Not yet\. That is vec\.'
says '^And 4 at a time\.'
says '^That was all'
says '^8$'
says '^16 bytes are 4 float32'
says '^Right\. `next` goes on\.'
is "$(done_tasks)" 1/4 'one task done'
type_ 'lesson 01' 'answer 2 * 4' 'answer x' 'answer'
says '^Right\.'
says "error: 'x' is no number"
says 'error: answer needs VALUE'

# who goes on has the names that earlier examples gave
cat >"$top/named.md" <<'END'
# Names

## 1. Given

```tilecopy
tilecopy> rows = TileLayout(S[(2, 3) : (3, 1)])
```

## 2. Used

```tilecopy
tilecopy> rows.apply(1, 2)
{'m': 5}
```
END
type_ "lesson $top/named.md" next next
type_ "lesson $top/named.md" 'rows.apply(1, 2)'
says "^\{'m': 5\}"

# who only reads on has the names and the program that a task speaks of; an
# expression is looked at as a command is
cat >"$top/read.md" <<'END'
# Reading on

## 1. Given

```tilecopy
tilecopy> rows = TileLayout(S[(2, 3) : (3, 1)])
```

## 2. An expression

> **Type** where (1, 2) is.

<!-- task type
load: none
do: columns = TileLayout(S[(2, 3) : (1, 2)])
answer: columns.apply(0, 2)
holds: .value.m == 4
wrong: rows.apply(0, 2)
hint if .value.m == 2: That is of `rows`.
hint: `apply`
-->

## 3. A command

> **Type** the command.

<!-- task type
load: lessons/ldgsts.py
answer: why tma
holds: .copies[0].variants | length == 1
hint: `why`
-->

## 4. A number

> **Predict.** 7 x 8 + 6?

<!-- task predict
load: none
ask: 7 * 8 + 6
answer: .value
hint: A sum.
-->
END
XDG_STATE_HOME=$top/reads # its tasks are not counted below
type_ "lesson $top/read.md" next 'columns' 'rows.apply(0, 2)' hint hint \
    'columns.apply(0, 2)'
says '^Not yet\. That is of .?rows'
says '^Of your last try: That is of'
says '^Right\.'
is "$(grep -c 'Not yet' "$top/out")" 1 'another expression is none of its answers'
type_ "lesson $top/read.md" next 'why tma'
says 'load ldgsts.py. was done for you'
says '^Right\.'
type_ "lesson $top/read.md" next '8 * 8' '7 * 8' '7 * 8 + 6'
says '^62$'
is "$(grep -c Right "$top/out")" 1 'a sum that is the answer is one'
never 'Not yet'
XDG_STATE_HOME=$top/state

# a wrong answer that got the first hint: `hint` says the next one
type_ 'lesson 01' 5 hint
says '^Not yet\. 4096 elements'
says '^And 4 at a time\.'

# type: the command, not another one; other commands are left alone
type_ 'lesson 01' next 'load f32.py' 'why' 'partition' 'why  dsmem'
says '^f32: 2 copies'
says '^Not yet\. That asks all of them\.'
says '^Right\.'
is "$(grep -c 'Not yet' "$top/out")" 1 'one command was an attempt'

# choose
type_ 'lesson 01' next 1 7 2
says '^Not yet\. The wait is for'
says 'error: choose a number from 1 to 2'
says '^Right\.'

# edit: the file as given says nothing, then a wrong and a right edit
own=$top/state/tilecopy-repl/lessons/01-sample/f32.py
type_ 'lesson 01' next 'load f32.py' edit
says '^Edit .*/01-sample/f32.py'
never 'Not yet|Right'
type_ 'lesson 01' hint
says '^\(.f32.py. is as it was given'
sed -i 's/commit_group()/&\n    T.ptx.cp_async.wait_group(1)/' "$own"
type_ 'lesson 01' hint
says 'f32.py. and not loaded it since'
type_ 'lesson 01' 'load f32.py'
says '^Not yet\. The newest group is still in$|^Not yet\. The newest group'
sed -i 's/wait_group(1)/wait_group(0)/' "$own"
type_ 'lesson 01' 'load f32.py' solution
says '^Right\. That was the last one'
says '^\+     T.ptx.cp_async.wait_group\(0\)'
is "$(done_tasks)" 4/4 'all tasks done'

# JSON: the same, an object a line
printf 'lesson 01\nhint\n' | "$program" --json --batch >"$top/out"
what='--json lesson 01, hint'
says '"command":"lesson","ok":true,"name":"01-sample"'
says '"task":\{"kind":"edit","done":true\}'
says '"task":\{"result":"hint","hint":"Which instruction'

# reset
type_ 'lesson 01' reset
says '^Lesson 01: A sample'
is "$(done_tasks)" 0/4 'none done after reset'
is "$(grep -c wait_group "$own")" 0 'the file is as given'

# nothing is asked, no lesson is under way
type_ hint next 'lesson 07'
says 'error: no lesson is under way'
says "error: there is no lesson '07'"

# two sessions at once lose nothing
for n in 1 2 3; do
    case $n in
    1) set -- next 8 ;;
    2) set -- next next 'load f32.py' 'why dsmem' ;;
    3) set -- next next next 2 ;;
    esac
    printf '%s\n' 'lesson 01' reset_ "$@" | grep -v reset_ |
        "$program" --batch --keep-going >"$top/at-once.$n" 2>&1 &
done
wait
got=$(grep -c '#' "$top/state/tilecopy-repl/progress.json")
right=$(cat "$top"/at-once.* | grep -c '^Right')
is "$got" "$right" 'three sessions at once: each task that was right is kept'
is "$(find "$top/state" -name 'progress.json?*' | wc -l)" 0 'nothing is left over'

# no folder for it: said once, and all goes on
printf 'lesson 01\nnext\n8\n' |
    env XDG_STATE_HOME=/dev/null/x "$program" --batch >"$top/out" 2>&1
what='no state folder'
says '^Right\.'
is "$(grep -c 'progress is not kept' "$top/out")" 1 'said once'

# installed: lessons, and their programs, from any folder
mkdir -p "$top/usr/bin" "$top/usr/share/tilecopy-repl"
cp "$program" "$top/usr/bin"
cp -R "$top/lessons" "$top/usr/share/tilecopy-repl"
(unset TILECOPY_LESSONS && "$top/usr/bin/tilecopy-repl" lesson) >"$top/out" 2>&1
(unset TILECOPY_LESSONS && "$top/usr/bin/tilecopy-repl" -e 'load lessons/ldgsts.py') >>"$top/out" 2>&1
what=installed
says 'A sample'
says '^copy_async: 2 copies'

# lesson check: the sample is right; each mistake is told
check() { # check SED REGEX
    sed "$1" "$top/lessons/01-sample.md" >"$top/02-wrong.md"
    timeout 120 "$program" lesson check "$top/02-wrong.md" >"$top/out" 2>&1
    status=$?
    what="lesson check with $1"
    says "$2"
}
check '' '4 tasks, 0 wrong'
is $status 0 'a right lesson'
check 's/^answer: .copies.*/answer: .nothing/' 'the answer: it is no number'
is $status 1 'a wrong lesson'
check 's/^hint .copies\[0\].partition.vec/hint .copies[0].partition.outer/' 'should not pass'
check 's/^hint 1: .*//' 'choice 1 has no hint of its own'
check 's/^answer: why dsmem/answer: why ldgsts/' "'why ldgsts' should pass, and does not"
check 's/^solution: .*/solution: nothing => else/' 'no place for this edit'
check 's/^wrong: why$/wrong: why dsmem/' 'should not pass'
check 's/^answer: 2/anwser: 2/' "no key of a task is called 'anwser'"
check 's/^<!-- task choose/<!-- task chose/' 'kind is type, predict, edit or choose'
check 's/^load: none/load: no.py/' "no block of the page is the file 'no.py'"
is $status 1 'a lesson with a malformed task'
sed -i 's/^answer: 2/anwser: 2/' "$top/lessons/01-sample.md"
type_ 'lesson 01' next
says "no key of a task is called 'anwser'"
says '^Lesson 01'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
