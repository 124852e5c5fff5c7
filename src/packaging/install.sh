#!/bin/sh
# install.sh PROGRAM DESTINATION - `make install`: the program, its lessons, exercises and
# profiles, man pages, completions and texts under DESTINATION ($(DESTDIR)$(PREFIX)).
# Solutions of the exercises and wrong ones stay here.
set -eu
program=$(realpath "$1")
to=$2
cd "$(dirname "$0")/../.."
umask 022

put() { # put MODE FILE FOLDER
    install -d "$to/$3"
    install -m "$1" "$2" "$to/$3/"
}

put 755 "$program" bin
find lessons exercises src/calibrate/profiles -type f ! -name '*.pyc' \
    ! -name 'reference.*' ! -path '*/wrong/*' | LC_ALL=C sort |
    while read -r f; do
        put 644 "$f" "share/tilecopy-repl/${f%/*}"
    done
for f in README.md LICENSE NEWS SECURITY.md; do
    put 644 "$f" share/doc/tilecopy-repl
done

made=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX")
trap 'rm -rf "$made"' EXIT
sh src/packaging/share.sh "$program" "$made"
(cd "$made" && find . -type f | LC_ALL=C sort) | while read -r f; do
    put 644 "$made/$f" "${f%/*}"
done
