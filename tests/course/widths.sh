#!/bin/sh
# widths.sh CHROMIUM FOLDER WIDTH - each page of a site, drawn so many pixels wide
# by a headless Chromium: its name, scrollWidth and what sticks out, where it is
# wider. The last line says how many were measured; status 1: one was wider, 2:
# Chromium did not come so far.
set -u
browser=$1
width=$3
cd "$2" || exit 2
page=.widths.html
trap 'rm -rf .widths.html .widths.out .widths.profile' EXIT
{
    echo '<!doctype html><meta charset="utf-8"><pre id="out"></pre><script>'
    echo "const width = $width, pages = ["
    find . -name '*.html' ! -name $page | sort | sed 's/.*/"&",/'
    cat <<'END'
];
const out = document.getElementById("out");
const says = (text) => { out.textContent += "\n@" + text + "\n"; };
const sticksOut = (doc) => [...doc.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > width && !e.closest("pre, table"))
    .map((e) => e.tagName).slice(0, 3).join(" ");
function measure(i) {
    if (i === pages.length) {
        says("measured " + i);
        return;
    }
    const frame = document.createElement("iframe");
    frame.style.cssText = "height: 667px; border: 0; width: " + width + "px";
    frame.onload = () => {
        const doc = frame.contentDocument;
        const w = doc.documentElement.scrollWidth;
        if (w > width) {
            says(pages[i] + ": " + w + " pixels wide, not " + width + ": " + sticksOut(doc));
        }
        frame.remove();
        measure(i + 1);
    };
    frame.src = pages[i];
    document.body.append(frame);
}
measure(0);
</script>
END
} >$page
timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
    --user-data-dir="$PWD/.widths.profile" --allow-file-access-from-files \
    --virtual-time-budget=60000 --dump-dom "file://$PWD/$page" \
    2>/dev/null </dev/null | sed -n '/<script>/q; s/^@//p' >.widths.out
cat .widths.out
grep -q '^measured' .widths.out || exit 2
[ "$(wc -l <.widths.out)" -eq 1 ]
