#!/bin/sh
# bundle.sh FILE - the archive that travels in the program of `make static`, a ustar that
# is the same from the same source: lessons, exercises without their solutions, profiles,
# and the descriptions of the usual terminals, from this machine's terminfo.
set -eu
out=$1
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/bundle.XXXXXX")
trap 'rm -rf "$work"' EXIT

find lessons exercises src/calibrate/profiles -type f ! -name '*.pyc' \
    ! -name 'reference.*' ! -path '*/wrong/*' >"$work/list"
tar cf - -T "$work/list" | tar xf - -C "$work"
for name in xterm xterm-256color screen screen-256color tmux tmux-256color linux vt100 \
    rxvt rxvt-unicode-256color ansi dumb; do
    for top in /etc/terminfo /lib/terminfo /usr/share/terminfo; do
        f=$(printf %.1s $name)/$name
        [ -f "$top/$f" ] || continue
        mkdir -p "$work/terminfo/${f%/*}"
        cat "$top/$f" >"$work/terminfo/$f"
        break
    done
done
cd "$work"
rm list
tar cf "$out" --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX -- *
