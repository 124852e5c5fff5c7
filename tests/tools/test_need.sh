#!/bin/sh
# test_need.sh - need.sh on systems that lack things: PATH is a folder with the
# few tools that the script uses, a compiler or none, and a stand-in apt-get.
set -u
unset CPPFLAGS LDFLAGS # of the make that runs this

tools=$(cd "$(dirname "$0")/../.." && pwd)/src/tools
need=$tools/need.sh
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
unset CC
cc=$(command -v cc)

# system NAME: an empty build folder, and a PATH without a compiler.
system() {
    sys=$top/$1
    mkdir -p "$sys/bin"
    for tool in sh mktemp rm tr grep head tail cat mkdir find env ln sed \
        dirname uname; do
        ln -s "$(command -v $tool)" "$sys/bin/$tool"
    done
    id 1000
    tool g++ ''
    nvcc 13.0
}

nvcc() { # VERSION
    tool nvcc "echo 'Cuda compilation tools, release $1, V$1.88'"
}

tool() { # NAME BODY: in the place of a link, not through it
    rm -f "$sys/bin/$1"
    printf '#!%s\n%s\n' "$(command -v sh)" "$2" >"$sys/bin/$1"
    chmod +x "$sys/bin/$1"
}

id() {
    tool id "echo $1"
}

# apt-get whose install writes down its arguments and then does $1.
apt() {
    tool apt-cache "exit ${2:-0}"
    tool apt-get "echo \"\$*\" >>$sys/log
case \$1 in install) $1 ;; esac"
}

# check NAME STATUS TEXT...: runs need.sh test; each TEXT must be said.
check() {
    name=$1 want=$2
    shift 2
    seen "$sys/bin/sh" "$need" test
    judge "$@"
}

# fetch NAME STATUS TEXT...: the same for toolkit.sh.
fetch() {
    name=$1 want=$2
    shift 2
    seen "$sys/bin/sh" "$tools/toolkit.sh" "$sys/toolkit"
    judge "$@"
}

# Runs something on the system: no CUDA of this machine, no settings of ours.
seen() {
    env -u TILECOPY_NVCC -u CUDA_HOME -u CUDA_PATH -u CXX PATH="$sys/bin" \
        BUILD="$sys/build" CC=cc TILECOPY_CUDA_ROOT="$sys" \
        TILECOPY_TOOLKIT="$sys/toolkit" "$@" >"$sys/out" 2>&1
    got=$?
}

judge() {
    ok=yes
    [ $got = "$want" ] || ok="status $got, not $want"
    for text; do
        grep -q -e "$text" "$sys/out" || ok="it does not say: $text"
    done
    if [ "$ok" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: $ok"
        cat "$sys/out"
    fi
}

# The compiler finds its own parts by the caller's PATH.
compiler="PATH=$PATH exec $cc \"\$@\""

system complete
tool cc "$compiler"
check "all is there" 0
[ -f "$sys/build/need-test" ] || check "the answer is kept" never
rm "$sys/bin/cc"
check "the answer is kept" 0

system bare
rm "$sys/bin/g++" "$sys/bin/nvcc"
check "no compiler, no apt-get" 2 "missing: gcc" "libreadline-dev" \
    "no apt-get" "Fedora: .*readline-devel"

system user
apt :
check "apt-get, but not root" 2 "needs root" "Debian, Ubuntu: gcc"
[ ! -f "$sys/log" ] || check "apt-get was not run" never

system root
id 0
printf '#!%s\n%s\n' "$(command -v sh)" "$compiler" >"$sys/later"
chmod +x "$sys/later"
apt "ln -s $sys/later $sys/bin/cc"
check "root installs" 0 "running: apt-get install"
grep -q "^install -y .*libcmocka-dev" "$sys/log" ||
    check "apt-get gets the packages" never

system stale
id 0
printf '#!%s\n%s\n' "$(command -v sh)" "$compiler" >"$sys/later"
chmod +x "$sys/later"
apt "ln -s $sys/later $sys/bin/cc" 1
check "package lists are fetched where they are missing" 0 "apt-get update"

system broken
id 0
apt "echo E: no space left; exit 100"
check "apt-get fails" 2 "no space left" "could not install"

system sudo
tool sudo 'while [ "$1" = -n ]; do shift; done; exec "$@"'
tool true ''
apt "ln -s $top/root/later $sys/bin/cc"
check "sudo without a password" 0 "running: sudo -n apt-get install"

system odd
tool cc 'for a; do [ "$a" = -lreadline ] && exit 1; done
'"$compiler"
check "one library is missing" 2 "missing: libreadline-dev" \
    "Debian, Ubuntu: libreadline-dev$"

# --- CUDA -----------------------------------------------------------------------

system no-cuda
tool cc "$compiler"
rm "$sys/bin/nvcc"
check "no nvcc, and nothing to fetch it with" 0 "missing: curl" \
    "SKIPPED: the tests that need a CUDA compiler: .* missing: curl"
[ ! -f "$sys/build/need-test" ] || check "what was skipped is tried again" never
nvcc 13.0
check "then there is one" 0
[ -f "$sys/build/need-test" ] || check "and the answer is kept" never
rm "$sys/bin/nvcc"
check "until it is gone" 0 "SKIPPED: the tests that need a CUDA compiler"

system old-cuda
tool cc "$compiler"
nvcc 11.8
check "an nvcc that does not know sm_90a" 0 "SKIPPED: the tests that need"

system usual
tool cc "$compiler"
mkdir -p "$sys/usr/local/cuda-13.0/bin"
mv "$sys/bin/nvcc" "$sys/usr/local/cuda-13.0/bin"
check "nvcc is in the usual place" 0
! grep -q SKIPPED "$sys/out" || check "and found there" never

system no-host
tool cc "$compiler"
rm "$sys/bin/g++"
id 0
apt "ln -s cc $sys/bin/g++"
check "root installs g++" 0 "missing: g++" "running: apt-get install .* g++$"
[ -f "$sys/build/need-test" ] || check "that will do" never

system offline
tool cc "$compiler"
rm "$sys/bin/nvcc"
tool curl 'echo "curl: (6) Could not resolve host" >&2; exit 6'
for tool in sha256sum unzip cut chmod; do
    ln -s "$(command -v cat)" "$sys/bin/$tool" # never run
done
check "no network" 0 "fetching nvidia_nvvm 13.0" "Could not resolve host" \
    "is there a network?" "SKIPPED: .* none could be fetched"
[ ! -e "$sys/toolkit" ] || check "nothing is left behind" never

system forged
for tool in cut sha256sum; do
    ln -s "$(command -v $tool)" "$sys/bin/$tool"
done
tool unzip 'exit 1'
tool curl 'while [ "$1" != -o ]; do shift; done; echo forged >"$2"'
fetch "a wheel that is another" 1 "its sha256 is not" "could not be fetched"

system slow
for tool in cut sha256sum unzip du sleep dd; do
    ln -s "$(command -v $tool)" "$sys/bin/$tool"
done
tool curl 'while [ "$1" != -o ]; do shift; done
dd if=/dev/zero of="$2" bs=1024 count=3000 2>/dev/null; sleep 2; exit 6'
seen "$sys/bin/sh" "$tools/toolkit.sh" "$sys/toolkit" sizes
want=1 name="how much is there"
judge "so far 30[0-9][0-9] of 109568 KB" "is there a network?"
[ ! -e "$sys/toolkit" ] || check "nothing is left behind" never

system lacking
tool python3 'exit 1'
fetch "nothing to fetch with" 2 "pip, curl or wget"
tool curl 'exit 1'
fetch "nothing to check with" 2 "sha256sum or shasum"
rm "$sys/bin/g++"
fetch "no compiler for the host" 2 "there is no g++" "Debian, Ubuntu: g++"
tool uname 'echo Plan9'
fetch "another system" 2 "no CUDA compiler for Plan9"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
