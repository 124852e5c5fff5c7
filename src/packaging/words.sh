#!/bin/sh
# words.sh PROGRAM - what can be typed behind the program's name, from what it says of
# itself: --help, exec --help, its table of commands, its refusals, its lessons and
# exercises. A line each, with tabs:
#   option      SCOPE  --NAME  -LETTER  VALUE  CHOICES  TEXT    SCOPE: all, exec, grade
#   subcommand  NAME   VALUE   TEXT
#   command     NAME   FORM    TEXT
#   lesson, exercise   NAME    TEXT
# What is not there is "-"; CHOICES have blanks between them.
set -eu
program=$1
LC_ALL=C.UTF-8
export LC_ALL

# The choices of an option are in the hint of a refusal.
choices() {
    "$program" "--$1" '?' 2>&1 </dev/null | sed -n 's/^hint: one of: //p'
}

# Options of a help text; a line that is far to the right goes on with the last one.
options() { # options SCOPE
    awk -v scope="$1" '
    function flush() {
        if (name != "") {
            gsub(/ +/, " ", text)
            print scope "\t" name "\t" short "\t" value "\t" text
        }
        name = ""
    }
    /^  +--version, --help$/ {
        flush()
        print scope "\t--version\t-\t-\tprint the version"
        print scope "\t--help\t-\t-\tprint what can be typed"
        next
    }
    /^  (-[a-z], |    )--[a-z]/ {
        flush()
        line = $0; sub(/^ +/, "", line)
        short = "-"; value = "-"
        if (line ~ /^-[a-z], /) { short = substr(line, 1, 2); line = substr(line, 5) }
        name = line; sub(/[ ].*/, "", name)
        line = substr(line, length(name) + 1); sub(/^ /, "", line)
        if (line ~ /^[A-Z]+/) { value = line; sub(/[^A-Z.].*/, "", value)
            line = substr(line, length(value) + 1) }
        sub(/^ +/, "", line); text = line
        next
    }
    substr($0, 1, 20) ~ /^ +$/ && /[^ ]/ && name != "" { sub(/^ +/, " "); text = text $0; next }
    { flush() }
    END { flush() }'
}

# Subcommands, and the options that stand in their texts.
subcommands() {
    awk '
    function flush() {
        if (name == "") return
        gsub(/ +/, " ", text)
        if (!(name in seen)) print "subcommand\t" name "\t" value "\t" text
        seen[name] = 1
        all = value " " text
        while (match(all, /--[a-z]+ [A-Za-z|\/]+/)) {
            split(substr(all, RSTART, RLENGTH), w, " ")
            all = substr(all, RSTART + RLENGTH)
            c = w[2] ~ /\|/ ? w[2] : "-"
            gsub(/\|/, " ", c)
            if (w[2] ~ /^[A-Z\/]+$/ || c != "-")
                print "option\t" name "\t" w[1] "\t-\t" (c == "-" ? w[2] : "WORD") \
                    "\t" c "\t" "for " name
        }
        name = ""
    }
    /^  [a-z]+ .*[^ ]/ {
        flush()
        line = $0; sub(/^ +/, "", line)
        name = line; sub(/ .*/, "", name)
        line = substr(line, length(name) + 2)
        at = match(line, /  +/)
        value = at ? substr(line, 1, at - 1) : line
        text = at ? substr(line, at + RLENGTH) : ""
        next
    }
    substr($0, 1, 20) ~ /^ +$/ && /[^ ]/ && name != "" { sub(/^ +/, " "); text = text $0; next }
    { flush() }
    END { flush() }'
}

# A list "name   title" of ours; what is done of a lesson stands between.
names() { # names KIND
    sed -nE "s/^  ([0-9a-z_.-]+)  +([0-9]+\/[0-9]+ +)?([^ ].*)/$1	\1	\3/p"
}

{
    "$program" --help | options all
    "$program" exec --help | options exec
    printf 'exec\t--help\t-\t-\tprint what exec takes\n'
} | while IFS='	' read -r scope name short value text; do
    c=-
    case $text in
    *[:,]\ *) [ "$value" = - ] || c=$(choices "${name#--}") ;;
    esac
    printf 'option\t%s\t%s\t%s\t%s\t%s\t%s\n' "$scope" "$name" "$short" "$value" \
        "${c:--}" "$text"
done
"$program" --help | subcommands
"$program" -e help </dev/null | awk '
function flush() { if (name != "") print "command\t" name "\t" (form == "" ? "-" : form) "\t" text; name = "" }
/^  [a-z]/ {
    flush()
    line = $0; sub(/^  /, "", line)
    head = substr(line, 1, 23); at = match(line, /  +/)
    name = line; sub(/ .*/, "", name)
    if (substr(line, 23) ~ /^ [^[-]/) {
        form = head; text = substr(line, 24)
    } else { form = line; text = "" }
    sub(/^[a-z]+ */, "", form); sub(/ +$/, "", form)
    next
}
substr($0, 1, 20) ~ /^ +$/ && /[^ ]/ && name != "" { sub(/^ +/, ""); text = text $0; next }
{ flush() }
END { flush() }'
"$program" -e lesson </dev/null | names lesson
"$program" exercise </dev/null | sed 's/^\([a-z]\)/  \1/' | names exercise
