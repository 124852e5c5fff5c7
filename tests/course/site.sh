#!/bin/sh
# site.sh PROGRAM - `make site`, and the links of its pages; both need pandoc. A
# headless Chromium, where there is one, also measures that no page is wider than
# a phone.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(mktemp -d "${TMPDIR:-/tmp}/site.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
if ! command -v pandoc >/dev/null 2>&1; then
    echo "SKIPPED: pandoc is not installed"
    exit 0
fi
sh "$here/../../src/tools/site.sh" "$1" "$top/site" >"$top/out" 2>&1 || {
    cat "$top/out"
    exit 1
}
sh "$here/links.sh" "$top/site" || exit 1
# a broken link and a missing picture are told
printf '<meta name="viewport"><a href="no.html">x</a><img src="no.svg">' >"$top/site/broken.html"
sh "$here/links.sh" "$top/site" >"$top/out" && {
    echo "FAILED: links.sh passes a page with a broken link"
    exit 1
}
[ "$(grep -c 'broken.html: there is no' "$top/out")" = 2 ] || exit 1
pictures=$(grep -c 'pictures/08-cp-async-[12].svg' "$top/site/lessons/08-cp-async.html")
[ "$pictures" = 2 ] || ! command -v nvcc >/dev/null || {
    echo "FAILED: lesson 08 has $pictures timelines in place, not 2"
    exit 1
}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
passed=2
if [ -n "$chromium" ]; then
    rm "$top/site/broken.html"
    sh "$here/widths.sh" "$chromium" "$top/site" 375 >"$top/out"
    case $? in
    0)
        passed=$((passed + 2))
        # a page that is wider is told
        mkdir "$top/wide"
        printf '<meta name="viewport"><p style="width: 500px">x' >"$top/wide/wide.html"
        sh "$here/widths.sh" "$chromium" "$top/wide" 375 >"$top/out"
        grep -q '^./wide.html: 5[0-9][0-9] pixels wide, not 375: P$' "$top/out" || {
            echo "FAILED: widths.sh passes a page of 500 pixels"
            cat "$top/out"
            exit 1
        }
        ;;
    1)
        echo "FAILED: pages wider than a phone"
        cat "$top/out"
        exit 1
        ;;
    *) echo "SKIPPED: Chromium did not measure the pages" ;;
    esac
fi
echo "$passed passed, 0 failed"
