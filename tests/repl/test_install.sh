#!/bin/sh
# test_install.sh PROGRAM - what `make install` adds to the program: the man pages,
# which hold every option and command, and the completions, which each shell that is
# here is asked for. All of it is made from what the program says of itself.
set -u
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
top=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0 skipped=0
cd "$top" || exit 1
unset TILECOPY_LESSONS TILECOPY_EXERCISES

ok() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}
skip() {
    skipped=$((skipped + 1))
    echo "SKIPPED: $*"
}
# has FILE TEXT...: each on a line of the file
has() {
    in=$1
    shift
    for text in "$@"; do
        if grep -qF -e "$text" "$in"; then ok; else bad "$in lacks: $text"; fi
    done
}

sh "$root/src/packaging/install.sh" "$program" "$top/dest/usr" 2>err || {
    cat err
    echo "0 passed, 1 failed"
    exit 1
}
man=dest/usr/share/man bash=dest/usr/share/bash-completion/completions/tilecopy-repl
zsh=dest/usr/share/zsh/site-functions/_tilecopy-repl
fish=dest/usr/share/fish/vendor_completions.d/tilecopy-repl.fish
installed=$top/dest/usr/bin/tilecopy-repl

# --- the program finds its own ---
cat >script <<'END'
load lessons/ldgsts.py
lesson
END
"$installed" --batch <script >out 2>err
has out "try \`why\` or \`run\`" 25-max-pooling
"$installed" exercise >out 2>err
has out maxpool15

# --- man pages: every option, command, page and variable ---
"$program" --help | grep -oE '^ {1,6}(-., )?--[a-z-]+' | grep -oE -e '--[a-z-]+' |
    sed 's/-/\\-/g' >options
"$program" exec --help | grep -oE '^ +--[a-z-]+' | grep -oE -e '--[a-z-]+' |
    sed 's/-/\\-/g' >options.exec
"$program" -e help </dev/null | sed -nE 's/^  ([a-z]+).*/\1/p' >commands
[ "$(wc -l <options)" -gt 8 ] && [ "$(wc -l <commands)" -gt 30 ] || bad "the lists are short"
while read -r option; do has $man/man1/tilecopy-repl.1 "\\fB$option\\fR" "$option"; done <options
while read -r option; do has $man/man1/tilecopy-repl-exec.1 "\\fB$option\\fR"; done <options.exec
while read -r command; do has $man/man1/tilecopy-repl.1 "\\fB$command\\fR"; done <commands
has $man/man1/tilecopy-repl.1 TILECOPY_NVCC '.SH "SEE ALSO"'
for page in "$root"/lessons/manual/*.md; do
    page=$(basename "$page" .md)
    case $page in
    command-line | environment) continue ;;
    esac
    has $man/man1/tilecopy-repl.1 "repl\\-$(echo "$page" | sed 's/-/\\-/g')\\fR("
    ls $man/man?/"tilecopy-repl-$page".? >out 2>&1 && ok || bad "there is no page for $page"
done
if command -v mandoc >/dev/null 2>&1; then
    for page in $man/man?/*; do
        mandoc -T lint -W warning "$page" >out 2>&1 && ok || bad "mandoc: $(head -n 2 out)"
    done
elif command -v groff >/dev/null 2>&1; then
    for page in $man/man?/*; do
        groff -t -man -Tutf8 -K utf8 -ww -z "$page" 2>out && [ ! -s out ] && ok ||
            bad "groff: $page: $(head -n 2 out)"
    done
else
    skip "man pages are not drawn: neither mandoc nor groff is installed"
fi

# --- completions ---
touch prog.cu prog.py notes.txt "a name.cu"
# words LAST...: what Tab offers for the words, a line each
bash_offers() {
    env -i PATH="$PATH" LC_ALL=C.UTF-8 bash --norc -c '
        . "$1"; shift
        COMP_WORDS=(tilecopy-repl "$@") COMP_CWORD=$#
        _tilecopy_repl
        printf "%s\n" "${COMPREPLY[@]}"' - "$top/$bash" "$@" 2>err
}
zsh_offers() { # a line of a terminal and Tab twice; until all of $wanted is there
    env -i PATH="$PATH" LC_ALL=C.UTF-8 TERM=dumb zsh -f -c '
        zmodload zsh/zpty || exit 9
        zpty z "TERM=dumb zsh -f -i"
        zpty -w z "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=9999; zstyle \":completion:*\" list-prompt \"\"; zstyle \":completion:*\" select-prompt \"\"; COLUMNS=200; PS1=READY"
        zpty -w -n z "tilecopy-repl $2	"
        zpty -w -n z "	"
        for ((i = 0; i < 100; i++)); do
            while zpty -r -t z line; do said+=$line; done
            missing=
            for w in ${=3}; do [[ $said == *$w* ]] || missing=1; done
            [ "$missing" ] || break
            sleep 0.2
        done
        print -r -- "$said"
        zpty -d z' - "$top/${zsh%/*}" "$*" "$wanted" 2>err | tr ' \r' '\n\n'
}
fish_offers() {
    HOME=$top env -i PATH="$PATH" HOME="$top" LC_ALL=C.UTF-8 fish --no-config -c "
        source $top/$fish
        complete -C 'tilecopy-repl $*'" 2>err | cut -f 1
}
# offers SHELL WANTED... -- WORD...: in that shell, for the words
offers() {
    shell=$1 wanted=
    shift
    while [ "$1" != -- ]; do
        wanted="$wanted $1"
        shift
    done
    shift
    ${shell}_offers "$@" >out
    for w in $wanted; do
        if grep -qxF -e "$w" out || { [ "$shell" = zsh ] && grep -qF -e "$w" out; }; then ok
        else bad "$shell: '$*' does not offer $w; $(tr '\n' ' ' <out | cut -c 1-200) $(head -n 2 err)"; fi
    done
}
for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null 2>&1; then
        skip "$shell is not installed: its completion is made and not tried"
        continue
    fi
    eval "file=\$$shell"
    $shell -n "$file" 2>err && ok || bad "$shell: $(cat err)"
    offers $shell --backend --version --batch -- --
    offers $shell sim gpu both -- --backend ""
    offers $shell exec lesson grade explain -- ""
    offers $shell 05-ldgsts -- lesson 05
    [ $shell = zsh ] && continue # a terminal each: what is left is the same table
    offers $shell maxpool15 -- grade ma
    offers $shell require -- grade --sandbox re
    offers $shell --pedantic --report -- exec --
    offers $shell $(cat commands) -- -e ""
done
offers bash prog.cu "exec" -- ""
offers bash prog.cu -- exec p
grep -q notes.txt out && bad "exec offers notes.txt"
offers bash prog.cu prog.py -- -e why p

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
