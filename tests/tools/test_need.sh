#!/bin/sh
# test_need.sh - need.sh on systems that lack things: PATH is a folder with the
# few tools that the script uses, a compiler or none, and a stand-in apt-get.
set -u

need=$(cd "$(dirname "$0")/../.." && pwd)/src/tools/need.sh
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
cc=$(command -v "${CC:-cc}")

# system NAME: an empty build folder, and a PATH without a compiler.
system() {
    sys=$top/$1
    mkdir -p "$sys/bin"
    for tool in sh mktemp rm tr grep head tail cat mkdir find env ln; do
        ln -s "$(command -v $tool)" "$sys/bin/$tool"
    done
    id 1000
}

tool() { # NAME BODY
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
    PATH=$sys/bin BUILD=$sys/build CC=cc "$sys/bin/sh" "$need" test \
        >"$sys/out" 2>&1
    got=$?
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

echo "$passed passed, $failed failed"
[ $failed = 0 ]
