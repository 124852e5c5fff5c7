#!/bin/sh
# site.sh PROGRAM FOLDER - static pages of the lessons, the glossary and the
# manual, with pictures made by PROGRAM from real runs, in FOLDER.
#
# The generator is pandoc(1): it reads GitHub's Markdown, tables and raw HTML
# (the folded solutions) as they stand, wants no theme and no network, and is one
# package everywhere. Status 2 where it is not installed.
set -eu
program=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case $program in /*) ;; *) program=$PWD/$program ;; esac
if ! command -v pandoc >/dev/null 2>&1; then
    echo "make site: pandoc is not installed (Debian, Ubuntu: apt install pandoc)" >&2
    exit 2
fi
mkdir -p "$out/lessons/glossary" "$out/lessons/manual" "$out/lessons/pictures"
out=$(cd "$out" && pwd)
cp "$here/site/style.css" "$out/style.css"
cd "$root"
TILECOPY_PTXAS=none
export TILECOPY_PTXAS

# Everything that pages link to, or load, beside the pages.
for f in LICENSE NEWS; do
    [ ! -f $f ] || cp $f "$out/"
done
for folder in lessons exercises; do
    find "$folder" -type f ! -name '*.md' -exec sh -c \
        'mkdir -p "$0/${1%/*}" && cp "$1" "$0/$1"' "$out" '{}' ';'
done

# page FILE.md TITLE_OR_EMPTY: FILE.html, or index.html of a README.md.
page() {
    to=$out/$(dirname "$1")/$(basename "$1" .md).html
    [ "$(basename "$1")" = README.md ] && to=$out/$(dirname "$1")/index.html
    up=$(dirname "$1" | sed 's/^\.$//; s/[^/][^/]*/../g')
    up=${up:+$up/}
    title=$(sed -n '/^# /{s/^# //;s/`//g;p;q;}' "$1")
    mkdir -p "$(dirname "$to")"
    printf '<nav><a href="%sindex.html">Manual</a> · <a href="%slessons/index.html">Lessons</a> · <a href="%slessons/glossary/index.html">Terms</a></nav>\n' \
        "$up" "$up" "$up" >"$out/.nav"
    lang=en
    case $1 in *.zh.md) lang=zh-Hant ;; esac
    pandoc -f gfm -t html5 --standalone --no-highlight \
        --metadata "pagetitle=$title" -V "lang=$lang" \
        --css "${up}style.css" --lua-filter "$here/site/links.lua" \
        --include-before-body "$out/.nav" ${2:+--include-after-body "$2"} \
        -o "$to" "$1"
    rm -f "$out/.nav"
}

# Pictures of a page's programs: the layout and, where `export` has the format,
# the timeline of a run. They stand at the page's end.
pictures() { # pictures NAME PROGRAM LAYOUT
    list=$out/.pictures
    : >"$list"
    "$program" "$2" -e "show $3 --svg $out/lessons/pictures/$1-layout.svg" \
        >/dev/null && cat >>"$list" <<END
<h2>Pictures</h2>
<figure><img src="pictures/$1-layout.svg" alt="the layout $3 of $2"><figcaption>$3 of $2</figcaption></figure>
END
    if "$program" "$2" -e run -e "export svg $out/lessons/pictures/$1-time.svg" \
        >/dev/null 2>&1; then
        cat >>"$list" <<END
<figure><img src="pictures/$1-time.svg" alt="the timeline of $2"><figcaption>A run of $2</figcaption></figure>
END
    fi
    if "$program" "$2" -e run -e "export html $out/lessons/pictures/$1-time.html" \
        >/dev/null 2>&1; then
        echo "<p><a href=\"pictures/$1-time.html\">The timeline, to step through</a></p>" >>"$list"
    fi
}

page README.md ''
for f in CONTRIBUTING.md SECURITY.md; do
    [ ! -f $f ] || page $f ''
done
for f in lessons/*.md lessons/manual/*.md; do
    list=
    case $f in
    lessons/01-*) pictures 01 lessons/ldgsts.py s_layout && list=$out/.pictures ;;
    esac
    case $f in
    lessons/[0-9]*) # its timelines, where it shows them
        name=$(basename "$f" .md)
        SITE_PICTURES=$out/lessons/pictures/${name%%.*} # a translation's are the same
        export SITE_PICTURES
        case $name in
        *.*) ;;
        *) sh "$here/site/timelines.sh" "$program" "$f" "$out/lessons/pictures" "$name" ;;
        esac
        ;;
    *) unset SITE_PICTURES ;;
    esac
    page "$f" "$list"
done
unset SITE_PICTURES
cp lessons/manual/*.svg "$out/lessons/manual/"
find lessons exercises tests/cuda tests/mutants src/packaging -name README.md |
    while read -r f; do page "$f" ''; done

{
    echo '# Terms'
    echo
    for f in lessons/glossary/*.md; do
        echo "* [$(sed -n '1s/^# //p' "$f")]($(basename "$f"))"
    done
} >"$out/.terms.md"
for f in lessons/glossary/*.md; do page "$f" ''; done
pandoc -f gfm -t html5 --standalone --metadata pagetitle=Terms --css ../../style.css \
    --lua-filter "$here/site/links.lua" -o "$out/lessons/glossary/index.html" "$out/.terms.md"
rm -f "$out/.terms.md" "$out/.pictures"
echo "$(find "$out" -name '*.html' | wc -l) pages in $out: open $out/index.html"
