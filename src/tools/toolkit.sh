#!/bin/sh
# toolkit.sh FOLDER [sizes] - puts a CUDA compiler (nvcc 13.0 with its headers, and
# nvdisasm) into FOLDER, out of NVIDIA's wheels on PyPI. No root, no Python needed.
# With sizes it says each second how much is there: "so far 8192 of 109568 KB".
#
# The wheels are pinned by their sha256. pip fetches them where there is one
# (its own settings for a mirror then hold), else curl or wget. Everything is
# made beside FOLDER and renamed at the end: FOLDER is whole or not there.
# Status 0: it is there; 1: it could not be fetched; 2: this machine lacks
# something, or cannot have it.
set -u

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ -z "$1" ]; then
    echo "usage: toolkit.sh FOLDER [sizes]" >&2
    exit 2
fi
folder=$1
nvcc=$folder/nvidia/cu13/bin/nvcc
release=13.0.88-2 # of this table

# wheel|version|MB|sha256|its place at files.pythonhosted.org/packages
wheels_x86_64() {
    cat <<'END'
nvidia_nvvm|13.0.88|59|c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0|15/b0/ee41e6d1108d959b5097163e7190c2d0f7857dea75606ce358f0275891b4/nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl
nvidia_cuda_nvcc|13.0.88|36|56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03|71/8b/a546c12881fffeba927d810598987df25d74b8b241788c7db8dfc93b0173/nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cuda_cccl|13.0.85|3|e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649|ab/fb/0384bb2129bed6b1b39f8e44471c615ab5ab29b7e55817538a1d390d8f84/nvidia_cuda_cccl-13.0.85-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cuda_runtime|13.0.96|3|7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548|2e/24/d1558f3b68b1d26e706813b1d10aa1d785e4698c425af8db8edc3dced472/nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cuda_crt|13.0.88|1|2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4|05/69/a1ec4d9f0747d85964206feb47bf359f48a2d6af74c0add8abba6efe3dda/nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
nvidia_cuda_nvdisasm|13.5.37|5|d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca|64/4a/c84a14209a549d97831a02d111d943f47c995d4d3beaa3416daa3b534abb/nvidia_cuda_nvdisasm-13.5.37-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
END
}
wheels_aarch64() {
    cat <<'END'
nvidia_nvvm|13.0.88|57|c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1|a4/bd/fc52fbf7214391909d6d2b3a825fd0902ebf7fbc56227dd9c9277e8e263b/nvidia_nvvm-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
nvidia_cuda_nvcc|13.0.88|31|c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f|9f/06/996d5cdc5ea45fb4a6111a1be4f0caf6556c0cb1bf9684a7252d8771797a/nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
nvidia_cuda_cccl|13.0.85|3|6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c|27/cf/b667064e446ad359eca302fc8ef3784393c9aba6606c2e74dd9b695f114a/nvidia_cuda_cccl-13.0.85-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
nvidia_cuda_runtime|13.0.96|3|ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55|87/4f/17d7b9b8e285199c58ce28e31b5c5bbaa4d8271af06a89b6405258245de2/nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
nvidia_cuda_crt|13.0.88|1|ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003|49/b9/2cb230193e1570221eee8c9739f965bb4874bad44ee4c3373a5860d24c90/nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
nvidia_cuda_nvdisasm|13.5.37|5|a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605|31/cc/2bb127b6043daf8f1685c227367f64577789a91f6bc3d8271ac08d78f723/nvidia_cuda_nvdisasm-13.5.37-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl
END
}

fail() { # STATUS MESSAGE
    echo "error: $2" >&2
    exit "$1"
}
has() {
    command -v "$1" >/dev/null 2>&1
}

if [ -x "$nvcc" ] && [ "$(cat "$folder/release" 2>/dev/null)" = $release ]; then
    echo "the CUDA compiler is there: $nvcc"
    exit 0
fi

case $(uname -s)-$(uname -m) in
Linux-x86_64) table=wheels_x86_64 ;;
Linux-aarch64) table=wheels_aarch64 ;;
*) fail 2 "NVIDIA has no CUDA compiler for $(uname -s) on $(uname -m)" ;;
esac
host=${CXX:-g++}
has "${host%% *}" || fail 2 "nvcc needs a C++ compiler, and there is no \
${host%% *}; install it first (Debian, Ubuntu: g++; Fedora: gcc-c++; Arch: gcc)"

# --- the tools of this machine ------------------------------------------------

pip=no get='' sum='' unpack=''
if has python3 && python3 -m pip --version >/dev/null 2>&1; then pip=yes; fi
if has curl; then get=curl; elif has wget; then get=wget; fi
if has sha256sum; then sum=sha256sum
elif has shasum; then sum='shasum -a 256'; fi
if has unzip; then unpack=unzip
elif has python3; then unpack=python3
elif has bsdtar; then unpack=bsdtar; fi
[ $pip = yes ] || [ -n "$get" ] || fail 2 "fetching the compiler needs \
pip, curl or wget, and there is none"
[ -n "$sum" ] || fail 2 "checking the compiler needs sha256sum or shasum"
[ -n "$unpack" ] || fail 2 "unpacking the compiler needs unzip or python3, \
and there is neither"

new=$folder.new.$$
watcher=''
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null; rm -rf "$new"' EXIT
trap 'exit 2' HUP INT TERM
mkdir -p "$new/wheels/tmp" || fail 2 "$new cannot be made"
log=$new/log

is_right() { # FILE SHA256
    [ -f "$1" ] && [ "$($sum <"$1" | cut -d ' ' -f 1)" = "$2" ]
}

by_pip() { # WHEEL VERSION SHA256 FILE
    echo "$1==$2 --hash=sha256:$3" >"$new/wanted"
    TMPDIR=$new/wheels/tmp python3 -m pip --disable-pip-version-check download -q --no-deps \
        --no-cache-dir --only-binary :all: --timeout 15 --retries 1 \
        --require-hashes -d "$new/wheels" -r "$new/wanted" >"$log" 2>&1
}

by_url() { # URL FILE
    case $get in
    curl) curl -fsSL --connect-timeout 15 --retry 2 -o "$2" "$1" ;;
    wget) wget -q --timeout=15 --tries=2 -O "$2" "$1" ;;
    esac >"$log" 2>&1
}

fetch() { # WHEEL VERSION SHA256 PLACE
    file=$new/wheels/${4##*/}
    if [ $pip = yes ]; then
        by_pip "$1" "$2" "$3" && is_right "$file" "$3" && return 0
    fi
    [ -n "$get" ] || return 1
    by_url "https://files.pythonhosted.org/packages/$4" "$file" || return 1
    is_right "$file" "$3" && return 0
    echo "its sha256 is not $3" >"$log"
    return 1
}

unpacked() { # FILE
    case $unpack in
    unzip) unzip -q -o "$1" -d "$new/all" ;;
    python3) python3 -m zipfile -e "$1" "$new/all" ;;
    bsdtar) bsdtar -xf "$1" -C "$new/all" ;;
    esac >"$log" 2>&1
}

# What is there, each second, until FOLDER.new is gone.
watch_sizes() { # KB
    while sleep 1 && [ -d "$new" ]; do
        here=$(du -sk "$new/wheels" 2>/dev/null)
        had=$(cat "$new/had" 2>/dev/null)
        echo "so far $((${here%%[!0-9]*} + ${had:-0} * 1024)) of $1 KB"
    done
}

# --- all of it ----------------------------------------------------------------

echo "NVIDIA's CUDA compiler 13.0 from PyPI, 100 MB to fetch and 270 MB on the \
disk, under NVIDIA's licence (it lies beside each package)"
mkdir -p "$new/all"
$table >"$new/table"
had=0 all=0
while IFS='|' read -r wheel version mb sha place; do
    all=$((all + mb))
done <"$new/table"
if [ "${2:-}" = sizes ]; then
    watch_sizes $((all * 1024)) &
    watcher=$!
fi
while IFS='|' read -r wheel version mb sha place; do
    echo "fetching $wheel $version ($mb MB)"
    if ! fetch "$wheel" "$version" "$sha" "$place"; then
        tail -n 2 "$log" >&2
        fail 1 "$wheel $version could not be fetched: is there a network?"
    fi
    if ! unpacked "$new/wheels/${place##*/}"; then
        tail -n 2 "$log" >&2
        fail 1 "$wheel $version could not be unpacked: is the disk full?"
    fi
    had=$((had + mb))
    echo $had >"$new/had"
    rm -f "$new/wheels/${place##*/}"
done <"$new/table" || exit

# Wheels keep the owner's rights alone, and python3 -m zipfile keeps none.
top=$new/all/nvidia/cu13
chmod -R a+rX "$new/all"
chmod a+x "$top"/bin/* "$top"/nvvm/bin/*
chmod a-x "$top/bin/nvcc.profile"
chmod a+rx "$top/bin/crt"
"$top/bin/nvcc" --version >"$log" 2>&1 || {
    tail -n 2 "$log" >&2
    fail 1 "the compiler that was fetched does not run on this machine"
}
echo $release >"$new/all/release"

[ ! -e "$folder" ] || mv "$folder" "$new/old" ||
    fail 1 "$folder is in the way"
if ! mv -T "$new/all" "$folder" 2>/dev/null && [ ! -x "$nvcc" ]; then
    fail 1 "$folder cannot be written"
fi
echo "the CUDA compiler is there: $nvcc"
