#!/bin/sh
# man.sh PROGRAM WORDS FOLDER - the manual's pages for man(1), in FOLDER/man1 and man7:
# tilecopy-repl(1) from what the program says of itself (WORDS: words.sh's lines) and two
# pages of lessons/manual, the others from a page each. Needs awk alone.
set -eu
program=$1 words=$2 out=$3
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^#define TC_VERSION "\(.*\)"$/\1/p' src/tilecopy.h)
date=$(LC_ALL=C date -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y NEWS)}" +%Y-%m-%d)
convert="awk -f src/packaging/man.awk"
mkdir -p "$out/man1" "$out/man7"

say() { # echo takes \f for a form feed
    printf '%s\n' "$*"
}

head() { # head NAME SECTION WHAT
    cat <<END
'\\" t
.\\" Generated from lessons/manual: see src/packaging.
.TH "$1" $2 $date "tilecopy-repl $version" "tilecopy-repl"
.SH NAME
$1 \\- $3
END
}

# Lines of words.sh as tagged paragraphs.
tagged() { # tagged AWK-PATTERN
    awk -F '\t' '
    function code(t) { gsub(/\\/, "\\e", t); gsub(/-/, "\\-", t); return t }
    function plain(t) { gsub(/\\/, "\\e", t); gsub(/`/, "", t); gsub(/--/, "\\-\\-", t)
        return (t ~ /^[.\047]/ ? "\\&" : "") t }
    '"$1"' {
        print ".TP"
        if ($1 == "option")
            print "\\fB" ($4 == "-" ? "" : code($4) "\\fR, \\fB") code($3) "\\fR" \
                ($5 == "-" ? "" : " \\fI" code($5) "\\fR")
        else
            print "\\fB" code($2) "\\fR" ($3 == "-" ? "" : " " code($3))
        print plain($NF)
    }' "$words"
}

synopsis() {
    echo .SH SYNOPSIS
    "$program" $1 --help | awk '
    /^Usage: / { on = 1; sub(/^Usage: /, "") }
    on && /^ *tilecopy-repl/ {
        sub(/^ */, ""); gsub(/-/, "\\-"); sub(/^tilecopy\\-repl/, "\\fB&\\fR")
        print (n++ ? ".br\n" : "") $0
        next
    }
    on && /^ +[[]/ { sub(/^ */, ""); gsub(/-/, "\\-"); print; next } # goes on
    { on = 0 }'
}

{
    head tilecopy-repl 1 'how a GPU copies tiles: prompt, simulator, course'
    synopsis ''
    echo .SH DESCRIPTION
    "$program" --help | awk '/^Explains/ { on = 1 } on && /^$/ { exit } on { print (/^\./ ? "\\&" : "") $0 }'
    echo .SH OPTIONS
    tagged '$1 == "option" && $2 == "all"'
    echo .SH SUBCOMMANDS
    tagged '$1 == "subcommand"'
    echo .SH COMMANDS
    say 'At the prompt, after \fB\-e\fR and with \fB\-\-batch\fR; \fBhelp\fR says more of each.'
    tagged '$1 == "command"'
    $convert -v level=1 lessons/manual/command-line.md
    $convert lessons/manual/environment.md
    say '.SH "SEE ALSO"'
    printf '\\fBtilecopy\\-repl\\-exec\\fR(1)'
    for page in lessons/manual/*.md; do
        name=$(basename "$page" .md)
        case $name in command-line | environment | exec) continue ;; esac
        printf ', \\fBtilecopy\\-repl\\-%s\\fR(7)' "$(echo "$name" | sed 's/-/\\-/g')"
    done
    say ', \fBnvcc\fR(1)'
} >"$out/man1/tilecopy-repl.1"

for page in lessons/manual/*.md; do
    name=$(basename "$page" .md)
    section=7
    case $name in
    command-line | environment) continue ;;
    exec) section=1 ;;
    esac
    {
        title=$(sed -n '/^# /{s/^# //;s/`//g;p;q;}' "$page")
        head "tilecopy-repl-$name" $section "$title"
        if [ "$name" = exec ]; then
            synopsis exec
            echo .SH OPTIONS
            tagged '$1 == "option" && $2 == "exec"'
        fi
        awk '/^# / { print; next } !begun && /^## / { begun = 1 }
            !begun && /[^ ]/ && !said { print "## Description\n"; said = begun = 1 }
            { print }' "$page" | $convert -v level=1
        say '.SH "SEE ALSO"'
        say '\fBtilecopy\-repl\fR(1)'
    } >"$out/man$section/tilecopy-repl-$name.$section"
done
