#!/bin/sh
# test_cast.sh PROGRAM - what src/tools/cast.py records is an asciicast of version 2
# (docs.asciinema.org/manual/asciicast/v2): a header, then events in the order of their
# times; some twenty seconds, in which the finding is seen.
set -u
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
top=$(mktemp -d "${TMPDIR:-/tmp}/cast.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    echo "SKIPPED: there is no Python 3.8"
    exit 0
fi
python3 "$root/src/tools/cast.py" "$program" "$top/session.cast" || {
    echo "0 passed, 1 failed"
    exit 1
}
python3 - "$top/session.cast" "$root/lessons/manual/session.cast" <<'END'
import json
import sys

passed = failed = 0


def check(what, ok):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        header, *events = map(json.loads, f)
    check("version", header["version"] == 2)
    check("size", (header["width"], header["height"]) == (80, 24))
    check("events", len(events) > 20 and all(
        len(e) == 3 and isinstance(e[0], (int, float)) and e[1] == "o" and isinstance(e[2], str)
        for e in events))
    times = [e[0] for e in events]
    check("order", times == sorted(times) and times[0] >= 0)
    check(f"twenty seconds: {times[-1]}", 15 < times[-1] < 25)
    said = "".join(e[2] for e in events)
    for text in ("tilecopy-repl forgot.py", "finding", "read-before-complete",
                 "cp_async.wait_group(0)", "█", "\x1b[?1049h"):  # the view's own screen
        check(path + ": " + text, text in said)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
END
