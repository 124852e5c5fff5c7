#!/bin/sh
# share.sh PROGRAM FOLDER - what is made for an installation from what PROGRAM says of
# itself, under FOLDER as it will lie under the prefix: pages for man(1), completions.
set -eu
program=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# the names in it are those of this source, in English
TILECOPY_LESSONS=$here/../../lessons TILECOPY_EXERCISES=$here/../../exercises
LC_ALL=C.UTF-8
export TILECOPY_LESSONS TILECOPY_EXERCISES LC_ALL

words=$(mktemp "${TMPDIR:-/tmp}/words.XXXXXX")
trap 'rm -f "$words"' EXIT
sh "$here/words.sh" "$program" >"$words"
sh "$here/man.sh" "$program" "$words" "$out/share/man"
while read -r shell file; do
    mkdir -p "$out/share/${file%/*}"
    sh "$here/completions.sh" "$shell" "$words" >"$out/share/$file"
done <<END
bash bash-completion/completions/tilecopy-repl
zsh zsh/site-functions/_tilecopy-repl
fish fish/vendor_completions.d/tilecopy-repl.fish
END
