#!/bin/sh
# links.sh FOLDER - the pages of a site: each link to a file of it leads to one
# that is there, each anchor to an id, each picture to a file; and each page says
# that it is as wide as the phone.
set -u
cd "$1" || exit 2
bad=0 links=0
for page in $(find . -name '*.html'); do
    grep -q 'name="viewport"' "$page" || {
        echo "$page: has no viewport"
        bad=$((bad + 1))
    }
    for link in $(grep -o -E '(href|src)="[^"]*"' "$page" |
        sed 's/^[a-z]*="//; s/"$//' | sort -u); do
        case $link in
        *://* | mailto:* | data:*) continue ;;
        esac
        links=$((links + 1))
        file=${link%%#*} anchor=
        case $link in *'#'*) anchor=${link#*#} ;; esac
        file=${file:+$(dirname "$page")/$file}
        file=${file:-$page}
        if [ ! -e "$file" ]; then
            echo "$page: there is no $link"
            bad=$((bad + 1))
        elif [ -n "$anchor" ] && ! grep -q -F "id=\"$anchor\"" "$file"; then
            echo "$page: $file has no #$anchor"
            bad=$((bad + 1))
        fi
    done
done
echo "links: $links links of $(find . -name '*.html' | wc -l) pages, $bad wrong"
[ "$bad" = 0 ] && [ "$links" -gt 50 ]
