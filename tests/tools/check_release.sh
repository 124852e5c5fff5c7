#!/bin/sh
# check_release.sh - the version stands in one place, src/tilecopy.h, and NEWS begins
# with what is new in it. README.md has at most 200 lines. At the top lie only the files
# that were agreed on.
set -u
cd "$(dirname "$0")/../.." || exit 1

bad=0
wrong() {
    echo "$*"
    bad=$((bad + 1))
}

version=$(sed -n 's/^#define TC_VERSION "\(.*\)"$/\1/p' src/tilecopy.h)
echo "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' ||
    wrong "src/tilecopy.h: TC_VERSION '$version' is not MAJOR.MINOR.PATCH"
newest=$(sed -n 's/^Version \(.*\)$/\1/p' NEWS | head -n 1)
[ "$newest" = "$version" ] ||
    wrong "NEWS begins with version $newest, and TC_VERSION is $version"

for f in $(git ls-files 2>/dev/null | sed 's,/.*,,' | sort -u); do
    case $f in
    .ci | .clang-format | .gitignore | .github | .devcontainer) ;;
    Makefile | src | lessons | exercises | tests) ;;
    README.md | LICENSE | CONTRIBUTING.md | NEWS | SECURITY.md) ;;
    *) wrong "$f: nothing else lies at the top" ;;
    esac
done
[ "$(wc -l <README.md)" -le 200 ] ||
    wrong "README.md has more than 200 lines: the manual is lessons/manual"
echo "check_release: version $version, $bad such lines"
[ $bad = 0 ]
