#!/bin/sh
# The timeline view end to end: tilecopy-repl ($1) with a program ($2, default
# lessons/ldgsts.py) in tmux at 80x24. Checks what is on the screen, and that
# the terminal is given back by q, by Ctrl-C, and around Ctrl-Z.
repl=$(readlink -f "${1:?usage: timeline.sh TILECOPY-REPL [PROGRAM.py]}")
program=${2:-lessons/ldgsts.py}
if ! command -v tmux >/dev/null; then
    echo "SKIPPED: no tmux found"
    exit 0
fi
folder=$(mktemp -d)
socket=tilecopy-$$
# tmux's own socket, and the shell it runs: nobody's is no shell.
TMUX_TMPDIR=$folder SHELL=/bin/sh
export TMUX_TMPDIR SHELL
t() { tmux -u -L "$socket" -f /dev/null "$@"; }
finish() {
    t kill-server 2>/dev/null
    rm -rf "$folder"
}
trap finish EXIT
screen() { t capture-pane -p; }
fail() {
    echo "timeline.sh: $1; the screen was:" >&2
    screen >&2
    exit 1
}
# Waits up to half a minute until a line of the screen matches $1.
see() {
    n=0
    until screen | grep -qE -e "$1"; do
        n=$((n + 1))
        [ $n -gt 300 ] && fail "expected /$1/"
        sleep 0.1
    done
}
gone() {
    n=0
    while screen | grep -qE -e "$1"; do
        n=$((n + 1))
        [ $n -gt 300 ] && fail "still there: /$1/"
        sleep 0.1
    done
}
same_modes() {
    t send-keys "stty -a >$folder/$1; echo modes-\$((40+2))" Enter
    see 'modes-42'
    cmp -s "$folder/before" "$folder/$1" || fail "stty differs after $1"
    t send-keys 'clear' Enter
    gone 'modes-42'
}

t new-session -d -x 80 -y 24 \
    "env LANG=C.UTF-8 XDG_STATE_HOME=$folder PS1='shell> ' sh"
see 'shell>'
t send-keys "stty -a >$folder/before; clear" Enter
t send-keys "'$repl' '$program'" Enter
see '^tilecopy>'
t send-keys 'run' Enter
see 'B equals A'
t send-keys 'timeline' Enter
see '^cycle [0-9]+ of [0-9]+ '
see 'warp 0 .*i'
see 'q leaves'
first=$(screen | head -n 1)
t send-keys Right Right
stepped() { [ "$(screen | head -n 1)" != "$first" ]; }
for _ in $(seq 300); do
    stepped && break
    sleep 0.1
done
stepped || fail "Right did not step"
t send-keys Left Left
see "^$(echo "$first" | sed 's/[][\.*^$/]/\\&/g')"
t send-keys Down
see '>warp 1'
t send-keys '?'
see 'Keys and letters'
t send-keys 'x'
gone 'Keys and letters'
t send-keys End
see 'ends'
t resize-window -x 40 -y 10
see 'arrows step'
t resize-window -x 30 -y 8
see 'needs 40 columns'
t resize-window -x 80 -y 24
see 'left/right step'
t send-keys C-z
see 'shell>'
same_modes stopped
t send-keys 'fg' Enter
see 'left/right step'
t send-keys q
gone 'left/right step'
t send-keys 'eval 40+2' Enter # the prompt is back and echoes
see '^42|= 42'
t send-keys 'timeline' Enter
see 'left/right step'
t send-keys C-c
gone 'left/right step'
t send-keys 'quit' Enter
see 'shell>'
same_modes quit
echo "timeline.sh: ok"
