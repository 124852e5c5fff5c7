#!/bin/sh
# The timeline view and its terminal: tilecopy-repl ($1) with a program ($2,
# default lessons/ldgsts.py) in tmux. That the terminal is given back by q, by
# Ctrl-C, around Ctrl-Z and after a crash; live resize; colours, few or none;
# plain ASCII; the mouse. What the view shows is in the cases (*.tui).
repl=$(readlink -f "${1:?usage: terminal.sh TILECOPY-REPL [PROGRAM.py]}")
program=$(readlink -f "${2:-lessons/ldgsts.py}")
if ! command -v tmux >/dev/null; then
    echo "SKIPPED: no tmux found"
    exit 0
fi
folder=$(mktemp -d)
# tmux's own socket, and the shell it runs: nobody's is no shell.
TMUX_TMPDIR=$folder SHELL=/bin/sh
export TMUX_TMPDIR SHELL
t() { tmux -u -L terminal -f /dev/null "$@"; }
finish() {
    t kill-server 2>/dev/null
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP
screen() { t capture-pane -p; }
colors() { t capture-pane -p -e; }
fail() {
    echo "terminal.sh: $1; the screen was:" >&2
    screen >&2
    exit 1
}
# Waits until $1 succeeds; $2 says what was expected.
until_so() {
    n=0
    until eval "$1"; do
        n=$((n + 1))
        [ $n -gt 600 ] && fail "$2"
        sleep 0.1
    done
}
shows() { screen | grep -qE -e "$want"; }
shows_not() { ! shows; }
see() { want=$1 && until_so shows "expected /$1/"; }
gone() { want=$1 && until_so shows_not "still there: /$1/"; }
same_modes() {
    t send-keys "stty -a >$folder/$1; echo modes-\$((40+2))" Enter
    see 'modes-42'
    cmp -s "$folder/before" "$folder/$1" || fail "stty differs after $1"
    t send-keys 'clear' Enter
    gone 'modes-42'
}
# The program that runs below the process $1, and what works below it.
program_of() {
    child=$1
    while [ "$(cat "/proc/$child/comm")" != tilecopy-repl ]; do
        read -r child _ <"/proc/$child/task/$child/children"
    done
    echo "$child"
}
worker_of() {
    child=$(program_of "$1")
    read -r child _ <"/proc/$child/task/$child/children"
    echo "$child"
}
# open_view NAME=VALUE...: a program at its prompt, that has run, in its view.
open_view() {
    t send-keys "env $* '$repl' '$program'" Enter
    see '^tilecopy>'
    t send-keys 'run' Enter
    see 'B equals A'
    t send-keys 'timeline' Enter
    see 'q leaves'
}
leave() {
    t send-keys q
    gone 'q leaves'
    t send-keys 'quit' Enter
    see 'shell>'
    t send-keys 'clear' Enter
    gone 'B equals A'
}

t new-session -d -x 80 -y 24 \
    "env PAGER=cat LANG=C.UTF-8 XDG_STATE_HOME=$folder PS1='shell> ' sh"
see 'shell>'
t send-keys "stty -a >$folder/before; clear" Enter

# Live resize: too small, and large enough again.
open_view TERM=tmux-256color
t resize-window -x 40 -y 10
see '^.?cycle'
t resize-window -x 30 -y 8
see 'needs 40 columns'
t resize-window -x 80 -y 24
see 'l h event'

# 256 colours.
until_so 'colors | grep -q "38;5;"' 'expected 256 colours'

# Around Ctrl-Z.
t send-keys C-z
see 'shell>'
same_modes stopped
t send-keys 'fg' Enter
see 'l h event'

# q; then the prompt is back and echoes. Ctrl-C.
t send-keys q
gone 'l h event'
t send-keys 'eval 40+2' Enter
see '^42|= 42'
t send-keys 'timeline' Enter
see 'l h event'
t send-keys C-c
gone 'l h event'
t send-keys 'quit' Enter
see 'shell>'
same_modes quit

# A crash, of what works or of the process above it: the terminal is right all
# the same, once nobody is left.
crash() { # worker_of|program_of
    open_view TERM=tmux-256color
    shell=$(t display-message -p '#{pane_pid}')
    worker=$(worker_of "$shell")
    kill -s SEGV "$($1 "$shell")"
    gone 'l h event'
    until_so '[ ! -d "/proc/$worker" ]' "the end of process $worker"
    t send-keys '' Enter
    see 'shell>'
    same_modes "$1"
    t send-keys 'clear' Enter
    gone 'B equals A'
}
crash worker_of
crash program_of

# No colours; eight; plain ASCII, where no character is of another set.
open_view TERM=tmux-256color NO_COLOR=1
colors | grep -qE '\[(3[0-7]|38;5;[0-9]+)m' && fail 'colours with NO_COLOR'
leave
open_view TERM=screen
until_so 'colors | grep -qE "\[[0-9;]*3[0-7]m"' 'expected eight colours'
colors | grep -q '38;5;' && fail '256 colours on a terminal of eight'
leave
open_view TERM=screen LC_ALL=C
see '^>warp 0 .*i.*C.*W'
screen | LC_ALL=C grep -q '[^ -~]' && fail 'not plain ASCII'
leave

# The mouse: a click on a row chooses it.
open_view TERM=tmux-256color
row=$(screen | grep -n '^ warp 1' | cut -d: -f1)
byte=$(printf '%03o' $((32 + row)))
t send-keys -l "$(printf "\\033[M !\\$byte")" # xterm's, in column 1
see '^>warp 1'
leave
same_modes end
echo "terminal.sh: ok"
