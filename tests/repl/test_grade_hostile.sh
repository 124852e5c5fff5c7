#!/bin/sh
# test_grade_hostile.sh PROGRAM EXERCISES - what cheats and vandals try
# (tests/grade/hostile): none passes, none harms. Most attempts are one file,
# built once: a test each. Those that begin before main, or while it is compiled,
# are files of their own.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
hostile=$subs/hostile
SECRET=of-the-grader
export SECRET

if ! python3 -c ''; then
    echo "SKIPPED: no python3, which reads the verdicts"
    the_end
fi

# --- while it runs: 63 attempts, 34 of students who cheat, 29 more ---

cat >reasons.py <<'END'
import json, sys
rows = [line.split() for line in open(sys.argv[1])]
tests = json.load(open(sys.argv[2]))["tests"]
bad = 0
for (n, what, reason), t in zip(rows, tests):
    said = t.get("output", "")
    told = json.dumps(t) # what it printed, and what files it had quoted
    if t["reason"] != reason or "HARM" in said or "root:" in told:
        print(n, what, "wanted", reason, "but", t["reason"], t["message"], said)
        bad += 1
    if (t["status"] == "passed") != (reason == "none"):
        print(n, what, t["status"])
        bad += 1
assert len(rows) == len(tests), (len(rows), len(tests))
sys.exit(bad > 0)
END
attempts() { # attempts NAME: those of a folder
    run grade "$subs/$1" --format json --timeout 20 "$subs/$1/$1.cu"
    is 1
    what="what each attempt of $1 came to"
    cp out verdict.json
    if python3 reasons.py "$subs/$1/reasons.txt" verdict.json >out 2>err; then
        ok
    else
        bad "another reason, or harm"
    fi
}
attempts hostile
attempts cheats
attempts tricks
what="a daemon of a submission"
if ps -eo comm | grep -q hostile-daemon; then bad "it is still there"; else ok; fi

# --- before main, in the place of the runtime, while it is compiled ---

honest='
#include <cuda_runtime.h>
__global__ void doubled(float *out, const float *in, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = 2 * in[threadIdx.x];
}
'
empty_one='void hostile(float *out, const float *in, int n) {}'

# refused STATUS TEXT FILE-TEXT: in a process of its own, for its time.
number=0
pids=
attempt() {
    number=$((number + 1))
    printf '%s\n%s\n' "$honest" "$3" >"try$number.cu"
    printf '%s\n' "$1" >"try$number.want"
    printf '%s\n' "$2" >"try$number.text"
    "$program" grade "$hostile" --format json --timeout 5 "try$number.cu" \
        >"try$number.out" 2>"try$number.err" </dev/null &
    pids="$pids $number:$!"
    if [ $((number % 3)) = 0 ]; then
        judge
    fi
}

judge() {
    for p in $pids; do
        wait "${p#*:}"
        status=$?
        k=${p%%:*}
        cat "try$k.out" >out
        cat "try$k.err" >err
        what="attempt $k: $(tail -n 1 "try$k.cu" | cut -c 1-60)"
        is "$(cat "try$k.want")"
        never out '"passed":true'
        never out 'root:'
        never err 'root:'
        says out "$(cat "try$k.text")"
    done
    pids=
}

# a constructor that says that all is well
attempt 1 '"score":0' "#include <unistd.h>
#include <cstdio>
__attribute__((constructor)) static void first() {
    puts(\"{\\\"passed\\\": true, \\\"score\\\": 51}\");
    fflush(stdout);
    _exit(0);
} $empty_one"
# its own runtime: no call is asked for
attempt 3 '"passed":false' "extern \"C\" bool tc_task_enter(unsigned long long *) { return false; } $empty_one"
# its own launch, which does nothing and says that it has worked
attempt 3 '"passed":false' "extern \"C\" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) { return cudaSuccess; } $empty_one"
# main of its own
attempt 3 'defines main' "int main() { return 0; } $empty_one"
# the end of a process by a destructor
attempt 1 '"score":0' "__attribute__((destructor)) static void last() { __builtin_trap(); } $empty_one"
# secrets in the compiler's words
attempt 3 '"passed":false' "#include \"/etc/shadow\"
$empty_one"
attempt 3 '"passed":false' "#include \"/etc/passwd\"
$empty_one"
attempt 3 '"passed":false' "asm(\".incbin \\\"/etc/passwd\\\"\"); $empty_one"
# the reference, a neighbour, the grader's environment
attempt 3 '"passed":false' "#include \"$exercises/maxpool15/reference.cu\"
$empty_one"
printf '%s\nvoid hostile(float *out, const float *in, int n) { doubled<<<1, 1024>>>(out, in, n); }\n' \
    "$honest" >neighbour.cu
attempt 3 '"passed":false' "#include \"neighbour.cu\""
attempt 3 '"passed":false' "#include \"/proc/self/environ\"
$empty_one"
# before any constructor; in the place of the C library's start
attempt 1 '"score":0' "#include <unistd.h>
static void early(int, char **, char **) { _exit(0); }
__attribute__((section(\".preinit_array\"), used)) static void (*first)(int, char **, char **) = early; $empty_one"
attempt 1 '"score":0' "#include <unistd.h>
extern \"C\" int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(), void (*)(), void (*)(), void *) { _exit(0); } $empty_one"
# its own functions of the C library, which the runtime would call
attempt 1 '"score":0' "#include <sys/types.h>
extern \"C\" ssize_t send(int, const void *, size_t n, int) { return n; }
extern \"C\" ssize_t pwrite(int, const void *, size_t n, off_t) { return n; } $empty_one"
attempt 1 '"score":0' "#include <sys/types.h>
#include <cstring>
extern \"C\" ssize_t recv(int, void *to, size_t n, int) { memset(to, 0, n); return n; } $empty_one"
# the hidden cases, by the assembler, the preprocessor and its pragmas
attempt 3 '"passed":false' "asm(\".incbin \\\"$exercises/maxpool15/exercise.yml\\\"\"); $empty_one"
attempt 3 '"passed":false' "asm(\".include \\\"/etc/passwd\\\"\"); $empty_one"
attempt 3 '"passed":false' "#if __has_include(\"$exercises/maxpool15/exercise.yml\") || __has_include(\"/etc/hostname\") || __has_include(\"/proc/self/root/etc/passwd\")
#define HARM root:
#else
#error it sees nothing
#endif
$empty_one"
attempt 3 '"passed":false' "#pragma GCC dependency \"/etc/passwd\"
#include \"/proc/1/root/etc/passwd\"
$empty_one"
# a source that includes itself; flags by a pragma and a comment
attempt 3 '"passed":false' "#include __FILE__
$empty_one"
attempt 1 '"score":0' "#pragma nvcc -Xcompiler -fplugin=/tmp/x.so
#pragma GCC optimize(\"O0\")
#pragma comment(linker, \"/etc/passwd\")
// -o /usr/x -include /etc/shadow
asm(\".section .gnu.warning.x\\n.ascii \\\"x\\\"\\n.text\"); $empty_one"
# it stops itself: nobody waits for it
attempt 1 'no result after' "#include <csignal>
void hostile(float *out, const float *in, int n) { raise(SIGSTOP); }"
# a compiler that does not end
attempt 3 'excessive recursion' "template <int N> struct deep { static constexpr int v = deep<N + 1>::v; }; int x = deep<0>::v; $empty_one"
# the end of the process by what runs before everything else
attempt 1 '"score":0' "#include <unistd.h>
extern \"C\" { static void nobody() {} static void (*pick())() { _exit(0); return nobody; } void own() __attribute__((ifunc(\"pick\"))); }
void hostile(float *out, const float *in, int n) { own(); }"
attempt 1 '"score":0' "asm(\".section .init,\\\"ax\\\"\\nmov \$60,%eax\\nxor %edi,%edi\\nsyscall\\n.text\"); $empty_one"
# objects of gigabytes; a file as an array
attempt 3 'limit of disk' "asm(\".data\\n.skip 100000000000\\n.text\"); $empty_one"
attempt 3 '"passed":false' "const unsigned char all[] = {
#embed \"/etc/passwd\"
}; $empty_one"
judge
# Names that a shell, or nvcc, would take for something else.
# One goes the whole way, the others as far as the preprocessor.
mkdir names
for name in '$(touch harm).cu' '-o.cu' '@file.cu' 'a;touch harm;.cu' \
    '`touch harm`.cu' 'a --output-file harm .cu' '-Xcompiler=-fplugin=x.cu' \
    'a|touch harm|.cu'; do
    if [ "$name" = '$(touch harm).cu' ]; then
        printf '%s\n%s\n' "$honest" "$empty_one" >"names/$name"
        wanted=1
    else
        echo '#error nothing more' >"names/$name"
        wanted=3
    fi
    run grade "$hostile" --format json --timeout 5 "names/$name"
    is $wanted
    says out '"score":0'
    [ $wanted = 1 ] || says out "nothing more"
done
what="a name of a file that is a command"
if [ -e harm ] || [ -e names/harm ]; then bad "it was run"; else ok; fi
ln -s /etc/passwd link.cu # the grader would read what its user may
run grade "$hostile" link.cu
is 1
never err "root:"
says err "is a symbolic link"

the_end
