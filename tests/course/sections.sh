#!/bin/sh
# sections.sh [LESSONS_FOLDER] - lessons/README.md's table has every section of
# sections.txt once and no other; each link is to a file, and to a heading of it.
# A row that says "open" has no lesson, which is a failure too.
set -u
here=$(cd "$(dirname "$0")" && pwd)
lessons=${1:-$here/../../lessons}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/sections.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT

# The anchors that GitHub gives to a file's headings: lower case, blanks become
# dashes, punctuation goes.
anchors() {
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" |
        sed 's/^#* *//; s/`//g' | tr 'A-Z ' 'a-z-' |
        LC_ALL=C.UTF-8 sed 's/[]!"#$%&'"'"'()*+,./:;<=>?@[\^{|}~，。：；、？！（）「」]//g'
}

grep -v '^#' "$here/sections.txt" | sed 's/ | /|/' | sort >"$tmp/want"
sed -n 's/^| \(.*\) |$/\1/p' "$lessons/README.md" | sed 1d |
    sed 's/ | /|/g' >"$tmp/rows"
cut -d'|' -f1,2 "$tmp/rows" | sort >"$tmp/have"
bad=0 open=0 links=0
if ! diff "$tmp/want" "$tmp/have" >"$tmp/diff"; then
    sed -n 's/^< /not in the table: /p; s/^> /no such section, or twice: /p' "$tmp/diff"
    bad=$((bad + 1))
fi
while IFS='|' read -r document section where; do
    if [ "$where" = open ]; then
        open=$((open + 1))
        continue
    fi
    links_here=$(printf '%s\n' "$where" | grep -o '([^)]*)' | tr -d '()')
    if [ -z "$links_here" ]; then
        echo "$document, $section: '$where' is no link, and not \"open\""
        bad=$((bad + 1))
    fi
    for link in $links_here; do
        links=$((links + 1))
        file=${link%%#*} anchor=${link#*#}
        if [ ! -f "$lessons/$file" ]; then
            echo "$document, $section: there is no lessons/$file"
            bad=$((bad + 1))
        elif [ "$file" = "$link" ]; then
            echo "$document, $section: $link names no step"
            bad=$((bad + 1))
        elif ! anchors "$lessons/$file" | grep -qxF -e "$anchor"; then
            echo "$document, $section: no heading of lessons/$file is #$anchor"
            bad=$((bad + 1))
        fi
    done
done <"$tmp/rows"
echo "sections: $links links, $open sections open, $bad wrong"
[ "$bad" = 0 ] && [ "$open" = 0 ] && [ "$links" -gt 0 ]
