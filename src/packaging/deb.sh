#!/bin/sh
# deb.sh PROGRAM FOLDER - a Debian package of the built program in FOLDER, by
# dpkg-deb(1); what it depends on is asked of dpkg-shlibdeps(1). The packager's name is
# DEBFULLNAME and DEBEMAIL, else that of the last commit.
set -eu
program=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/../.."
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v $tool >/dev/null 2>&1 || {
        echo "make deb: there is no $tool (apt install dpkg-dev binutils)" >&2
        exit 2
    }
done
version=$(sed -n 's/^#define TC_VERSION "\(.*\)"$/\1/p' src/tilecopy.h)-1
arch=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an 2>/dev/null || echo unknown)}"
maintainer="$maintainer <${DEBEMAIL:-$(git log -1 --format=%ae 2>/dev/null || echo root@localhost)}>"
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y NEWS)}
export SOURCE_DATE_EPOCH="$epoch"

work=$(mktemp -d "${TMPDIR:-/tmp}/deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/root
doc=$root/usr/share/doc/tilecopy-repl
sh src/packaging/install.sh "$program" "$root/usr"
strip --remove-section=.comment --remove-section=.note "$root/usr/bin/tilecopy-repl"
# as Debian has them: pages compressed, the licence named and not copied
find "$root/usr/share/man" -type f -exec gzip -9n '{}' +
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root"/usr/share/zsh/site-functions/* "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
rm "$doc/LICENSE"
gzip -9nc "$doc/NEWS" >"$doc/changelog.gz"
rm "$doc/NEWS"
{
    printf 'tilecopy-repl (%s) unstable; urgency=medium\n\n' "$version"
    printf '  * As made by `make deb` of the source; NEWS is changelog.gz.\n\n'
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "@$epoch")"
} | gzip -9nc >"$doc/changelog.Debian.gz"
cat >"$doc/copyright" <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tilecopy-repl
Comment: The source is under the Apache License 2.0. This program is linked with GNU
 Readline, so that it may be distributed as a whole under the GPL, version 3 or later.

Files: *
Copyright: 2026 the authors of tilecopy-repl
License: Apache-2.0
 On Debian systems the text of the license is in
 /usr/share/common-licenses/Apache-2.0.
END

mkdir -p "$root/DEBIAN" "$work/debian"
printf 'Source: tilecopy-repl\n\nPackage: tilecopy-repl\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"root/usr/bin/tilecopy-repl" 2>"$work/log" |
    sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || {
    cat "$work/log" >&2
    exit 1
}
(cd "$root" && find usr -type f -exec md5sum '{}' + | LC_ALL=C sort -k 2) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: tilecopy-repl
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Depends: $depends
Recommends: g++, less
Suggests: nvidia-cuda-toolkit, bash-completion
Section: education
Priority: optional
Description: learn how a GPU copies tiles: prompt, simulator, course
 A prompt that explains, lowers and executes copies of GPU tiles (cp.async,
 bulk copies, TMA, distributed shared memory, tensor memory), a simulator that
 runs whole CUDA programs without a GPU and finds races, missing waits and
 barriers at their lines, and a course of 25 lessons with graded exercises.
 .
 CUDA programs are built with nvcc, which this package does not contain.
END
find "$root" -newermt "@$epoch" -exec touch -h -d "@$epoch" '{}' +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/tilecopy-repl_${version}_$arch.deb" >/dev/null
echo "$out/tilecopy-repl_${version}_$arch.deb"
