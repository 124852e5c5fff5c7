#!/bin/sh
# test.sh FOLDER - `make package-test`: what `make static`, `make deb` and `make wheel`
# have left in FOLDER, installed where nothing else of ours is, and run. Needs root,
# debootstrap and mirrors for the clean systems; what cannot be had is skipped, with a
# line. ONLY=static|deb|wheel runs one of them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
status=0
for part in static deb wheel; do
    [ "${ONLY:-$part}" = $part ] && [ -f "$here/$part.sh" ] || continue
    echo "== $part"
    sh "$here/$part.sh" "$folder" || status=1
done
exit $status
