#!/bin/sh
# test_html.sh PROGRAM - the page of `export html` in headless Chromium: its keys
# and the mouse, and its bars, which are those of `export svg`; at which cycle what
# is, `timeline --text` says: another clock changes nothing here.
set -u

program=$1
browser=
for b in chromium chromium-browser google-chrome; do
    command -v $b >/dev/null && browser=$b && break
done
[ -n "$browser" ] || {
    echo "SKIPPED: no Chromium found"
    exit 0
}
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0

# says PAGE SCRIPT: what the script leaves in `out` on the page, line by line.
says() {
    sed 's#</body></html>##' "$1" >"$top/driven.html"
    {
        printf '<script>const out=[];%s\n' "$2"
        cat <<'END'
const all=['BEGIN',...out,'END'].map(t=>t.replace(/</g,'&lt;'));
document.body.innerHTML='<pre>\n\n'+all.join('\n')+'\n</pre>';
</script></body></html>
END
    } >>"$top/driven.html"
    HOME=$top timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --user-data-dir="$top/profile" --dump-dom \
        "file://$top/driven.html" 2>/dev/null |
        sed -n '/^BEGIN$/,/^END/{/^BEGIN$/d;/^END/d;p;}' |
        sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g'
}
same() {
    if diff "$top/want" "$top/got" >"$top/diff"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        head -n 20 "$top/diff"
    fi
}

# What is said but for its cycles, in place of it; each with them is a line of
# `timeline --text`.
any_clock() {
    sed -i 's/ A finding is here\.$//' "$top/text"
    sed 's/^[^:]*: [^:]*, cycle/cycle/; s/$/./' "$top/got" | grep '^cycle' |
        grep -vxF -f "$top/text" >"$top/odd"
    sed 's/cycle [0-9]*/cycle N/; s/for [0-9]* cycles, until [0-9]*/for N cycles/' \
        "$top/got" >"$top/clockless"
    mv "$top/clockless" "$top/got"
    cat "$top/odd" >>"$top/got"
}

drive="const say=w=>out.push(w+': '+document.getElementById('at').textContent);
const key=k=>{dispatchEvent(new KeyboardEvent('keydown',{key:k,cancelable:true}));say(k);};"
click="const r=[...document.querySelectorAll('rect.row')].find(x=>x.textContent.includes('copies to'));
const b=r.getBoundingClientRect();
r.dispatchEvent(new MouseEvent('click',{bubbles:true,clientX:b.left+1,clientY:b.top+1}));say('click');"

"$program" lessons/dsmem.py -e run -e "export html $top/d.html" \
    -e "export svg $top/d.svg" -e 'timeline --text' >"$top/text" 2>&1 || cat "$top/text"
says "$top/d.html" "$drive
for(const k of ['l','h','j','k','G','g'])key(k);$click" >"$top/got"
any_clock
cat >"$top/want" <<'END'
l: cta 0 warp 0, cycle N: cta 0 warp 0 comes to the cluster's barrier and stalls for N cycles, line 19
h: cta 0 warp 0, cycle N: cta 0 warp 0 initialises mbar_buf[0] for 1 arrival, line 19
j: cta 0 warp 0 copies to src_smem, cycle N: cta 0 warp 0 issues a bulk copy of 16384 bytes from src_smem to cta 1 src_smem, which reports to cta 1 mbar_buf[0] (phase 0), line 24
k: cta 0 warp 0, cycle N: cta 0 warp 0 issues a bulk copy of 16384 bytes from src_smem to cta 1 src_smem, which reports to cta 1 mbar_buf[0] (phase 0), line 24
G: cta 0 warp 0, cycle N: cta 0 warp 0 exits, line 30
g: cta 0 warp 0, cycle N: cta 0 warp 0 initialises mbar_buf[0] for 1 arrival, line 19
click: cta 0 warp 0 copies to src_smem, cycle N: cta 0 warp 0 issues a bulk copy of 16384 bytes from src_smem to cta 1 src_smem, which reports to cta 1 mbar_buf[0] (phase 0), line 24
END
same 'keys and mouse'

says "$top/d.html" \
    "document.querySelectorAll('rect.row').forEach(x=>out.push(x.textContent));" |
    sort >"$top/got"
sed -n 's/.*<rect x=.*<title>\(.*\)<\/title><\/rect>.*/\1/p' "$top/d.svg" |
    sed 's/, line [0-9]*$//; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' |
    sort >"$top/want"
[ -s "$top/want" ] || echo nothing >"$top/want"
same 'bars of the page and of the SVG'

"$program" tests/tui/no_commit.py -e run -e "export html $top/f.html" \
    -e 'timeline --text' >"$top/text" 2>&1
says "$top/f.html" "${drive}key('n');
out.push(document.querySelector('.finding').textContent.split(':')[0]);
out.push(document.querySelector('#source .here').textContent.trim());" >"$top/got"
any_clock
cat >"$top/want" <<'END'
n: warp 0, cycle N: warp 0 loads 512 bytes from A_smem, line 13
uncommitted-group
13     Tx.cta.copy(B[full], A_smem[full])
END
same 'n goes to the finding, and the source shows its line'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
