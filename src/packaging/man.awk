# man.awk - a page of the manual (GitHub's Markdown) as man(7), sections only: headings,
# paragraphs, fenced code, lists, tables. Pictures and HTML are left out.
# -v level=1: "# T" is no section of its own, as where the page is a whole one.
function code(t) { gsub(/\\/, "\\e", t); gsub(/-/, "\\-", t); return t }

# Text between backquotes is bold; links are their words.
function inline(t,   out, s, parts, k, i) {
    while (match(t, /!?\[[^]]*\]\([^)]*\)/)) {
        s = substr(t, RSTART, RLENGTH)
        k = index(s, "](")
        t = substr(t, 1, RSTART - 1) \
            (substr(s, 1, 1) == "!" ? "" : substr(s, 2, k - 2)) \
            substr(t, RSTART + RLENGTH)
    }
    gsub(/``[ ]?/, "`", t)
    k = split(t, parts, "`")
    out = ""
    for (i = 1; i <= k; i++) {
        if (i % 2 == 0 && i < k) out = out "\\fB" code(parts[i]) "\\fR"
        else {
            s = parts[i]
            gsub(/\\\|/, "|", s)
            gsub(/\\/, "\\e", s)
            gsub(/\*\*/, "", s)
            gsub(/<[a-z\/][^>]*>/, "", s)
            out = out s
        }
    }
    return out
}
function put(t) { fresh = 0; if (t ~ /^[.\047]/) t = "\\&" t; print t }

function end_paragraph() { if (text != "") text = inline(text); if (text !~ /^ *$/) put(text); text = "" }
function end_table(   i, j, s, cells, short) {
    if (!rows) return
    short = 1
    for (i = 1; i <= rows; i++) for (j = 1; j <= columns; j++)
        if (length(cell[i, j]) > (j == 1 ? 24 : 12)) short = 0
    if (short && columns > 2) {
        print ".TS"
        s = "lb"; for (j = 2; j <= columns; j++) s = s " lb"
        print s
        s = "l"; for (j = 2; j <= columns; j++) s = s " l"
        print s "."
        for (i = 1; i <= rows; i++) {
            s = inline(cell[i, 1])
            for (j = 2; j <= columns; j++) s = s "\t" inline(cell[i, j])
            put(s)
        }
        print ".TE"
    } else
        for (i = 2; i <= rows; i++) {
            print ".TP"
            put(cell[i, 1] ~ /`/ ? inline(cell[i, 1]) : "\\fB" inline(cell[i, 1]) "\\fR")
            s = cell[i, 2]
            for (j = 3; j <= columns; j++)
                if (cell[i, j] != "")
                    s = s (s == "" ? "" : "; ") (cell[1, j] == "" ? "" : cell[1, j] ": ") cell[i, j]
            put(s == "" ? "\\&" : inline(s))
        }
    rows = 0
    after = 1
}
function end_all() { end_paragraph(); end_table() }
function row(line,   k, parts, i) {
    sub(/^\|/, "", line); sub(/\|[ ]*$/, "", line)
    gsub(/\\\|/, "\001", line)
    # a bar between backquotes is none of the table's
    k = split(line, parts, "`")
    line = parts[1]
    for (i = 2; i <= k; i++) {
        if (i % 2 == 0) gsub(/\|/, "\001", parts[i])
        line = line "`" parts[i]
    }
    k = split(line, parts, "|")
    rows++
    columns = k
    for (i = 1; i <= k; i++) {
        sub(/^ +/, "", parts[i]); sub(/ +$/, "", parts[i])
        gsub(/\001/, "|", parts[i])
        cell[rows, i] = parts[i]
    }
}

/^ *```/ {
    end_all()
    if (fenced) { print ".EE"; print ".RE"; after = 1 }
    else { if (!fresh) print ".PP"; print ".RS 4"; fresh = 0; print ".EX" }
    fenced = !fenced
    next
}
fenced { put(code($0)); next }
/^\|[-:| ]+\|$/ { next }
/^\|/ { end_paragraph(); row($0); next }
/^# / { end_all(); if (!level) { print ".SH " toupper(substr($0, 3)) } fresh = 1; next }
/^## / { end_all(); s = substr($0, 4); gsub(/`/, "", s)
    print (level ? ".SH " : ".SS ") "\"" (level ? toupper(s) : s) "\""; after = 0; fresh = 1; next }
/^###/ { end_all(); s = $0; sub(/^#+ /, "", s); gsub(/`/, "", s); print ".SS \"" s "\""; after = 0; fresh = 1; next }
/^ *(\*|-|[0-9]+\.) / {
    end_all()
    s = $0; sub(/^ */, "", s)
    print ".IP " (s ~ /^[0-9]/ ? substr(s, 1, index(s, " ") - 1) : "\\(bu") " 4"
    sub(/^[^ ]+ /, "", s)
    text = s
    after = 1
    next
}
/^[ ]*$/ { end_all(); blank = 1; next }
/^(<[a-z\/]|!\[)/ { next }
{
    if (text == "" && (blank || after)) { if (!rows && !fresh) print ".PP"; blank = after = 0 }
    end_table()
    s = $0; sub(/^ +/, "", s)
    text = text == "" ? s : text " " s
}
END { end_all() }
