#!/bin/sh
# case.sh - plays cases of the timeline view in tmux: case.sh TILECOPY-REPL
# CASE.tui... Each is played once at each of its sizes. Lines of a case:
#
#   # ...              a comment
#   sizes 80x24 ...    columns x lines; first
#   only tmux          test_view, which plays all others too, without a
#                      terminal, leaves it out
#   env NAME=VALUE     for the program
#   start ARGUMENT...  the program, at a prompt
#   type TEXT          and Enter, at the prompt or in the view
#   keys KEY...        as tmux names them
#   resize 60x20       the window is so large now
#   see REGEX          waits until a line of the screen matches
#   gone REGEX         waits until none does
#   screen [SIZE]      waits until the whole screen is what stands between two
#   ---                lines ---; of a SIZE only there
#
# Nothing waits for a time: what is waited for is on the screen. With UPDATE=1
# screens are written into the case anew (and are to be read before they are
# believed). LIMIT: seconds that a wait may take, 60.
set -u
repl=$(readlink -f "${1:?usage: case.sh TILECOPY-REPL CASE.tui...}")
shift
if ! command -v tmux >/dev/null; then
    echo "SKIPPED: no tmux found"
    exit 0
fi
folder=$(mktemp -d)
TMUX_TMPDIR=$folder SHELL=/bin/sh
export TMUX_TMPDIR SHELL
t() { tmux -u -L "case$played" -f /dev/null "$@"; }
played=0
finish() {
    t kill-server 2>/dev/null
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

screen() { t capture-pane -p | sed 's/ *$//'; }
fail() {
    echo "$name:$line ($size): $1; the screen was:" >&2
    screen >&2
    exit 1
}
# until_so COMMAND WHAT: waits until the command succeeds.
until_so() {
    n=0
    until eval "$1"; do
        n=$((n + 1))
        t has-session 2>/dev/null || fail 'tmux has ended'
        [ $n -gt $((${LIMIT:-60} * 20)) ] && fail "$2"
        sleep 0.05
    done
}
shows() { screen | grep -qE -e "$want"; }
shows_not() { ! shows; }
same() { screen >"$folder/now" && cmp -s "$folder/want" "$folder/now"; }
# The lines of a block, without blank ones at its end, and so many as there are.
block() {
    : >"$folder/block"
    while IFS= read -r text <&3; do
        line=$((line + 1))
        [ "$text" = --- ] && return
        printf '%s\n' "$text" >>"$folder/block"
    done
    fail 'no --- ends the screen'
}
compare() {
    block
    [ -z "$rest" ] || [ "$rest" = "$size" ] || {
        cat "$folder/block" >>"$folder/new"
        echo --- >>"$folder/new"
        return 0
    }
    if [ -n "${UPDATE:-}" ]; then
        settled
        screen | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >>"$folder/new"
        echo --- >>"$folder/new"
        return 0
    fi
    awk -v n="$(t display-message -p '#{pane_height}')" '{ print }
        END { for (i = NR; i < n; i++) print "" }' "$folder/block" >"$folder/want"
    until_so same "$(echo 'expected'; diff "$folder/want" "$folder/now" | head -n 40)"
}
# For UPDATE alone: the same screen five times.
settled() {
    before='' k=0
    while [ $k -lt 5 ]; do
        now=$(screen)
        [ "$now" = "$before" ] && k=$((k + 1)) || k=0
        before=$now
        sleep 0.1
    done
}
# One directive; fd 3 is the case.
obey() {
    case $word in
    '' | '#'* | sizes | only) ;;
    env) environment="$environment $rest" ;;
    start)
        t new-session -d -x "${size%x*}" -y "${size#*x}" \
            "env PAGER=cat LANG=C.UTF-8 TERM=tmux-256color XDG_STATE_HOME=$folder PS1='shell> ' $environment sh"
        t set-option -g status off
        t set-option -g window-size manual
        t resize-window -x "${size%x*}" -y "${size#*x}"
        want='shell>' && until_so shows 'no shell'
        t send-keys "clear; '$repl' $rest" Enter
        want='^tilecopy>' && until_so shows 'no prompt'
        ;;
    type) t send-keys -l "$rest" && t send-keys Enter ;;
    # shellcheck disable=SC2086 # words are keys
    keys) t send-keys $rest ;;
    resize)
        t resize-window -x "${rest%x*}" -y "${rest#*x}"
        ;;
    see) want=$rest && until_so shows "expected /$rest/" ;;
    gone) want=$rest && until_so shows_not "still there: /$rest/" ;;
    screen) compare ;;
    *) fail "what is $word?" ;;
    esac
}
play() {
    line=0 environment='' played=$((played + 1)) # a server of its own
    : >"$folder/new"
    exec 3<"$name"
    while IFS= read -r text <&3; do
        line=$((line + 1))
        word=${text%% *} rest=
        [ "$word" = "$text" ] || rest=${text#* }
        printf '%s\n' "$text" >>"$folder/new"
        obey
    done
    exec 3<&-
    t kill-server 2>/dev/null
    [ -z "${UPDATE:-}" ] || cp "$folder/new" "$name"
}

for name in "$@"; do
    for size in $(sed -n 's/^sizes //p' "$name"); do
        play
    done
    echo "${name##*/}: ok"
done
