#!/bin/sh
# deb.sh FOLDER - the package of `make deb`: its contents, what lintian says, and
# installed by apt on Debian 12 and Ubuntu 24.04, each made by debootstrap, where a user
# without anything else runs it; before that, there, the program of `make static`.
. "$(dirname "$0")/package.inc"
deb=$(ls "$folder"/tilecopy-repl_*.deb | tail -n 1)

dpkg-deb -c "$deb" >out
for f in ./usr/bin/tilecopy-repl ./usr/share/man/man1/tilecopy-repl.1.gz \
    ./usr/share/bash-completion/completions/tilecopy-repl \
    ./usr/share/tilecopy-repl/lessons/01-first-steps.md \
    ./usr/share/tilecopy-repl/exercises/maxpool15/maxpool15.cu \
    ./usr/share/doc/tilecopy-repl/copyright; do
    check contents "$f"
done
if grep -q 'reference\.cu' out; then
    echo solutions >out
    check contents "no solutions of exercises"
fi
if command -v lintian >/dev/null 2>&1; then
    lintian --fail-on error "$deb" >out 2>/dev/null && echo "no errors" >>out
    check lintian "no errors"
else
    skip "lintian is not installed"
fi

# clean NAME SUITE MIRROR [OPTION...]: a system of its own, kept between calls
clean() {
    name=$1 suite=$2 mirror=$3
    shift 3
    system=$folder/roots/$name
    [ -x "$system/usr/bin/apt-get" ] && [ -f "$system.made" ] && return 0
    if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null 2>&1; then
        skip "$name: it needs root and debootstrap"
        return 1
    fi
    rm -rf "$system"
    mkdir -p "$system"
    script= # debootstrap knows its successors by one script
    [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=gutsy
    # shellcheck disable=SC2086
    if ! debootstrap --variant=minbase "$@" "$suite" "$system" "$mirror" $script >"$system.log" 2>&1; then
        skip "$name: debootstrap: $(tail -n 1 "$system.log")"
        return 1
    fi
    touch "$system.made"
}
# with a /proc, as every system has it, where we may mount one
inside() { unshare -m sh -c 'mount -t proc proc "$1/proc"; shift; exec "$@"' - "$system" \
    chroot "$system" /usr/bin/env -i HOME=/tmp/home PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb "$@"; }

installed() { # installed NAME
    cp /etc/resolv.conf "$system/etc/" 2>/dev/null
    cp "$deb" "$system/tmp/it.deb"
    inside sh -c 'rm -rf /tmp/home && mkdir -p /tmp/home && chown nobody /tmp/home'
    # the program of `make static`, where no library of ours is
    if [ -f "$folder/tilecopy-repl" ]; then
        cp "$folder/tilecopy-repl" "$system/tmp/alone"
        inside setpriv --reuid=65534 --clear-groups sh -c '
            cd /tmp/home && /tmp/alone -e lesson && /tmp/alone lesson check 02-layouts &&
            /tmp/alone -e "load lessons/ldgsts.py" -e run' >out 2>&1
        check "$1: make static: lesson" 25-max-pooling
        check "$1: make static: libjq" "6 tasks, 0 wrong"
        check "$1: make static: run" "B equals A, byte by byte"
    fi
    inside sh -c 'apt-get update -q && apt-get install -qy --no-install-recommends /tmp/it.deb' >out 2>&1
    check "$1: apt" "Setting up tilecopy-repl"
    inside setpriv --reuid=65534 --clear-groups sh -c '
        cd /tmp/home && tilecopy-repl --version && tilecopy-repl -e lesson &&
        tilecopy-repl exercise && tilecopy-repl -e "load lessons/ldgsts.py" -e why -e run
        printf "%s\n" "" | TERM=linux tilecopy-repl --batch && ldd /usr/bin/tilecopy-repl' >out 2>&1
    check "$1: lesson" 25-max-pooling
    check "$1: exercise" maxpool15
    check "$1: run" "B equals A, byte by byte"
    grep -q 'not found' out && echo "a library is missing" >out
    check "$1: libraries" libreadline
    inside dpkg -r tilecopy-repl >out 2>&1
    inside sh -c 'ls /usr/share/tilecopy-repl /usr/bin/tilecopy-repl 2>&1' >out
    check "$1: removed" "No such file"
}

if clean bookworm bookworm http://deb.debian.org/debian; then
    installed "Debian 12"
fi
# Ubuntu's key is Ubuntu's to say; without it the packages are not proved to be theirs
sign=--no-check-gpg
[ ! -f /usr/share/keyrings/ubuntu-archive-keyring.gpg ] ||
    sign=--keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
# shellcheck disable=SC2086
if clean noble noble http://archive.ubuntu.com/ubuntu $sign \
    --components=main,universe; then
    installed "Ubuntu 24.04"
fi
finish
