#!/bin/sh
# completions.sh bash|zsh|fish [WORDS] - a completion of that shell, from the lines of
# words.sh (standard input, or the file WORDS).
set -eu
shell=$1
shift
case $shell in
bash | zsh | fish) ;;
*)
    echo "usage: completions.sh bash|zsh|fish [WORDS]" >&2
    exit 2
    ;;
esac

awk -F '\t' -v shell="$shell" '
# What stands in the place of a value: its choices, else files of some kind.
function kind(value, choices, name) {
    if (choices != "-") return choices
    if (name == "--eval") return "COMMANDS"
    if (value == "FOLDER") return "FOLDERS"
    return value == "FILE" ? "FILES" : value == "-" ? "" : "NOTHING"
}
$1 == "option" {
    n++; scope[n] = $2; name[n] = $3; short[n] = $4; value[n] = $5; text[n] = $7
    what[n] = kind($5, $6, $3)
    if (!(($2 " " $3) in dup)) all[$2] = all[$2] " " $3
    dup[$2 " " $3] = 1
}
$1 == "subcommand" { m++; sub_name[m] = $2; sub_text[m] = $4; subs = subs " " $2 }
$1 == "command" { c++; com_name[c] = $2; com_text[c] = $4; commands = commands " " $2 }
$1 == "lesson" { lessons = lessons " " $2 }
$1 == "exercise" { exercises = exercises " " $2 }

# A text between single quotes of zsh, without what _arguments gives a meaning.
function zq(t) {
    gsub(/\\/, "", t); gsub(/\047/, "\047\\\047\047", t); gsub(/\[/, "(", t); gsub(/\]/, ")", t)
    gsub(/:/, " -", t); gsub(/`/, "", t)
    return t
}
function fq(t) { gsub(/\\/, "\\\\", t); gsub(/\047/, "\\\047", t); return "\047" t "\047" }

function bash(   i, k, done) {
    print "# bash completion of tilecopy-repl. Generated: see src/packaging."
    print "_tilecopy_repl() {"
    print "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} sub= first= i"
    print "    COMPREPLY=()"
    print "    [ \"$cur\" != = ] || cur="
    print "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}"
    print "    for ((i = 1; i < COMP_CWORD; i++)); do"
    print "        case ${COMP_WORDS[i]} in"
    print "        -* | =) ;;"
    print "        *) if [ -z \"$sub\" ]; then sub=${COMP_WORDS[i]}; else first=${first:-${COMP_WORDS[i]}}; fi ;;"
    print "        esac"
    print "    done"
    print "    case $prev in"
    for (i = 1; i <= n; i++) {
        if (what[i] == "" || name[i] in done) continue
        done[name[i]] = 1
        k = what[i]
        printf "    %s%s) ", short[i] == "-" ? "" : short[i] " | ", name[i]
        if (k == "FILES") print "_tilecopy_files \"$cur\" \047*\047; return ;;"
        else if (k == "FOLDERS") print "COMPREPLY=($(compgen -d -- \"$cur\")); return ;;"
        else if (k == "NOTHING") print "return ;;"
        else printf "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", \
            k == "COMMANDS" ? substr(commands, 2) : k
    }
    print "    esac"
    print "    case $sub,$cur in"
    for (k in all) if (k != "all")
        printf "    %s,-*) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")) ;;\n", k, \
            k == "exec" ? substr(all[k], 2) : substr(all["all"] all[k], 2)
    printf "    *,-*) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")) ;;\n", substr(all["all"], 2)
    print "    exec,*) _tilecopy_files \"$cur\" \047*.cu\047 ;;"
    printf "    lesson,*) COMPREPLY=($(compgen -W \"%s check\" -- \"$cur\")) ;;\n", substr(lessons, 2)
    print "    grade,*)"
    printf "        if [ -z \"$first\" ]; then COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))\n", substr(exercises, 2)
    print "        else _tilecopy_files \"$cur\" \047*.cu\047; fi ;;"
    printf "    exercise,*) COMPREPLY=($(compgen -W \"%s new check gradescope classroom slurm\" -- \"$cur\")) ;;\n", substr(exercises, 2)
    printf "    ,*) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))\n", substr(subs, 2)
    print "        _tilecopy_files \"$cur\" \047*.@(py|cu|ptx|tcs)\047 ;;"
    print "    *) _tilecopy_files \"$cur\" \047*.@(py|cu|ptx|tcs)\047 ;;"
    print "    esac"
    print "}\n"
    print "# Adds the files that fit the pattern, and folders to look into."
    print "_tilecopy_files() {"
    print "    local f glob"
    print "    glob=$(shopt -p extglob); shopt -s extglob"
    print "    compopt -o filenames 2>/dev/null"
    print "    while IFS= read -r f; do"
    print "        # shellcheck disable=SC2053"
    print "        if [ -d \"$f\" ] || [[ $f == $2 ]]; then COMPREPLY+=(\"$f\"); fi"
    print "    done < <(compgen -f -- \"$1\")"
    print "    eval \"$glob\""
    print "}"
    print "complete -F _tilecopy_repl tilecopy-repl"
}

function spec(i,   k, v) {
    k = what[i]
    v = k == "" ? "" : ":" tolower(value[i]) ":"
    if (k == "FILES") v = v "_files"
    else if (k == "FOLDERS") v = v "_files -/"
    else if (k == "COMMANDS") v = v "_tilecopy_commands"
    else if (k != "" && k != "NOTHING") v = v "(" k ")"
    else if (k == "NOTHING") v = v " "
    if (short[i] != "-")
        printf "    \047*%s[%s]%s\047\n", short[i], zq(text[i]), v
    printf "    \047%s%s[%s]%s\047\n", name[i] == "--eval" ? "*" : "", name[i] (k == "" ? "" : "="), zq(text[i]), v
}

function zsh(   i, k) {
    print "#compdef tilecopy-repl"
    print "# zsh completion of tilecopy-repl. Generated: see src/packaging.\n"
    print "_tilecopy_commands() {\n    local -a all\n    all=("
    for (i = 1; i <= c; i++) printf "        \047%s:%s\047\n", com_name[i], zq(com_text[i])
    print "    )\n    _describe command all\n}\n"
    print "_tilecopy_first() {\n    local -a all\n    all=("
    for (i = 1; i <= m; i++) printf "        \047%s:%s\047\n", sub_name[i], zq(sub_text[i])
    print "    )\n    _describe subcommand all"
    print "    _files -g \047*.(py|cu|ptx|tcs)\047\n}\n"
    print "_tilecopy_rest() {\n    case $words[2] in"
    print "    exec) _files -g \047*.cu\047 ;;"
    printf "    lesson) compadd --%s check ;;\n", lessons
    printf "    grade) if ((CURRENT == 3)); then compadd --%s; else _files -g \047*.cu\047; fi ;;\n", exercises
    printf "    exercise) compadd --%s new check gradescope classroom slurm ;;\n", exercises
    print "    *) _files -g \047*.(py|cu|ptx|tcs)\047 ;;\n    esac\n}\n"
    print "_tilecopy-repl() {\n    local -a specs\n    case $words[2] in"
    for (k in all) if (k != "all") {
        printf "    %s) specs=(\n", k
        for (i = 1; i <= n; i++) if (scope[i] == k || (k != "exec" && scope[i] == "all")) spec(i)
        print "    ) ;;"
    }
    print "    *) specs=("
    for (i = 1; i <= n; i++) if (scope[i] == "all") spec(i)
    print "    ) ;;\n    esac"
    print "    _arguments -s $specs \0471: :_tilecopy_first\047 \047*: :_tilecopy_rest\047\n}\n"
    print "if [ \"$funcstack[1]\" = _tilecopy-repl ]; then _tilecopy-repl \"$@\""
    print "else compdef _tilecopy-repl tilecopy-repl; fi"
}

function fish(   i, k, cond) {
    print "# fish completion of tilecopy-repl. Generated: see src/packaging."
    for (i = 1; i <= m; i++)
        printf "complete -c tilecopy-repl -n __fish_use_subcommand -a %s -d %s\n", sub_name[i], fq(sub_text[i])
    for (i = 1; i <= n; i++) {
        cond = scope[i] == "all" ? "not __fish_seen_subcommand_from exec" : \
            "__fish_seen_subcommand_from " scope[i]
        k = what[i]
        printf "complete -c tilecopy-repl -n \047%s\047", cond
        if (short[i] != "-") printf " -s %s", substr(short[i], 2)
        printf " -l %s", substr(name[i], 3)
        if (k == "FILES") printf " -r -F"
        else if (k == "FOLDERS") printf " -x -a \047(__fish_complete_directories)\047"
        else if (k == "NOTHING") printf " -x"
        else if (k == "COMMANDS") printf " -x -a \047%s\047", substr(commands, 2)
        else if (k != "") printf " -x -a \047%s\047", k
        printf " -d %s\n", fq(text[i])
    }
    printf "complete -c tilecopy-repl -f -n \047__fish_seen_subcommand_from lesson\047 -a \047%s check\047\n", substr(lessons, 2)
    printf "complete -c tilecopy-repl -n \047__fish_seen_subcommand_from grade\047 -a \047%s\047\n", substr(exercises, 2)
    printf "complete -c tilecopy-repl -f -n \047__fish_seen_subcommand_from exercise\047 -a \047%s new check gradescope classroom slurm\047\n", substr(exercises, 2)
}
END { if (shell == "bash") bash(); else if (shell == "zsh") zsh(); else fish() }
' "$@"
