#!/bin/sh
# site.sh PROGRAM - `make site`, and the links of its pages; both need pandoc. A
# headless Chromium, where there is one, also draws a page on a phone's width.
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
if [ -n "$chromium" ]; then
    "$chromium" --headless --no-sandbox --disable-gpu --window-size=375,667 \
        --screenshot="$top/phone.png" "file://$top/site/lessons/index.html" >/dev/null 2>&1
    [ -s "$top/phone.png" ] || {
        echo "FAILED: Chromium draws no page"
        exit 1
    }
fi
echo "2 passed, 0 failed"
