#!/usr/bin/env python3
"""cast.py PROGRAM FILE - a session of 20 seconds, as asciinema plays it (asciicast v2).

The session is real: PROGRAM runs on a pseudo-terminal of 80x24, and what it writes is what
is recorded. Only the times are made: those of somebody who types and reads, the same on a
fast machine and a slow one. The standard library alone."""
import codecs
import json
import os
import pty
import re
import select
import struct
import sys
import tempfile
import fcntl
import termios
import time

WIDTH, HEIGHT = 80, 24
PROMPT = "tilecopy> "
TYPED = 0.06  # seconds a key
# (keys, what stands at the end of what is then written, seconds to read it); None: anything
SESSION = [("run\r", PROMPT, 5.0), ("timeline\r", None, 3.0), ("]f", None, 3.0), ("h", None, 1.0),
           ("h", None, 1.0), ("q", PROMPT, 1.0), ("quit\r", "", 0.5)]


def wrong_program(readme):
    """The README's first program, which forgets to wait."""
    with open(readme, encoding="utf-8") as f:
        return re.search(r"```python (\S+)\n(.*?)```", f.read(), re.S).groups()


def answer(fd, end, limit=60.0):
    """What is written until `end` stands last, or nothing more comes; "" at its end."""
    text, decoder = "", codecs.getincrementaldecoder("utf-8")("replace")
    until, quiet = time.monotonic() + limit, 1.0
    while time.monotonic() < until:
        ready, _, _ = select.select([fd], [], [], quiet)
        if not ready:
            if text and (end is None or bare(text).endswith(end)):
                break
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:  # the other side has gone
            data = b""
        text += decoder.decode(data)
        if not data:
            break
        quiet = 0.1 if end and bare(text).endswith(end) else 1.0
    return text


def bare(text):
    """Without escape sequences."""
    return re.sub(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()].|[=>78])", "", text)


def record(program, folder, name):
    """The events of the session: [seconds, "o", text]."""
    child, fd = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm-256color", HOME=folder, LC_ALL="C.UTF-8", PAGER="cat",
                          TILECOPY_PTXAS="none", XDG_STATE_HOME=folder)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        os.execv(program, ["tilecopy-repl", name])
    events, now = [[0.0, "o", "$ "]], 0.8
    for key in f"tilecopy-repl {name}":
        events.append([now, "o", key])
        now += TYPED
    events.append([now, "o", "\r\n"])
    said = answer(fd, PROMPT)
    events.append([now + 0.2, "o", said])
    now += 1.5
    for keys, end, pause in SESSION:
        typed = keys[:-1] if keys.endswith("\r") else ""
        for key in typed:  # the program echoes each
            os.write(fd, key.encode())
            ready, _, _ = select.select([fd], [], [], 5.0)
            events.append([now, "o", os.read(fd, 65536).decode() if ready else ""])
            now += TYPED
        os.write(fd, keys[len(typed):].encode())
        events.append([now + 0.1, "o", answer(fd, end)])
        now += pause
    os.close(fd)
    os.waitpid(child, 0)
    return [[round(t, 3), kind, text] for t, kind, text in events if text]


def main(program, path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    name, text = wrong_program(os.path.join(root, "README.md"))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
        events = record(os.path.abspath(program), folder, name)
    header = {"version": 2, "width": WIDTH, "height": HEIGHT,
              "title": "tilecopy-repl: the copy that nobody waited for",
              "env": {"TERM": "xterm-256color", "SHELL": "/bin/sh"}}
    with open(path, "w", encoding="utf-8") as f:
        for line in [header, *events]:
            f.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: cast.py PROGRAM FILE")
    main(*sys.argv[1:])
