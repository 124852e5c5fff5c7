#!/bin/sh
# libjq.sh FOLDER - libjq.a and libonig.a with their headers in FOLDER, for `make static`.
# Debian's libjq-dev and libonig-dev have shared libraries alone, so they are built from
# jq's release, which comes with oniguruma, as PyPI has it inside a package of that name;
# pinned by the archive's sha256. JQ_SOURCE names a file that is it, where there is no
# network. CC as for make.
set -eu
out=$1
release=jq-1.8.0
package=jq-1.9.1.tar.gz
from=https://files.pythonhosted.org/packages/af/f7/d88a49335beeb2b51945e4c57fa570f412b5f0200064e9130defb3293a16/$package
sum=fa138b9062a854908cfccd7fbb2375a77c44612c7212172834990b2f9664a7b7

[ ! -f "$out/lib/libjq.a" ] || exit 0
fail() {
    echo "libjq.sh: $1" >&2
    exit 1
}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/libjq.XXXXXX")
trap 'rm -rf "$work"' EXIT
file=${JQ_SOURCE:-$work/$package}
if [ -z "${JQ_SOURCE:-}" ]; then
    if command -v curl >/dev/null 2>&1; then
        curl -fsSL --retry 2 -o "$file" "$from" || fail "cannot fetch $from"
    else
        wget -q -O "$file" "$from" || fail "cannot fetch $from"
    fi
fi
[ "$(sha256sum <"$file" | cut -c 1-64)" = $sum ] || fail "$file is not what it should be"
tar xzf "$file" -C "$work"
tar xzf "$work/${package%.tar.gz}/deps/$release.tar.gz" -C "$work"
cd "$work/$release"
echo "building libjq.a and libonig.a, which Debian has not"
CC="${CC:-cc}" CFLAGS="-O2 -fPIC" ./configure --quiet --disable-docs --disable-maintainer-mode \
    --disable-valgrind --disable-shared --enable-static --with-oniguruma=builtin \
    --prefix="$out" >log 2>&1 || { tail -n 5 log; fail "configure fails"; }
{ make -s -j"${JOBS:-2}" && make -s install-libLTLIBRARIES install-includeHEADERS; } >log 2>&1 || {
    tail -n 5 log
    fail "make fails"
}
cp vendor/oniguruma/src/.libs/libonig.a "$out/lib/"
