#!/bin/sh
# need.sh run|test - makes sure that what the build needs is there.
#
# Tries the compiler on each header and library, so that it does not matter
# where they came from; what is missing is installed with apt-get where that is
# possible (root, or sudo that asks for no password), saying what and why. Else
# it names the packages and ends with status 2. BUILD and CC as for make.
#
# The tests of CUDA programs want nvcc and g++ too. Where there is no nvcc,
# toolkit.sh fetches one; where that cannot be, those tests are skipped, and
# this says so.
set -u

build=${BUILD:-build}
what=${1:-run}
case $what in
run | test) ;;
*)
    echo "usage: need.sh run|test" >&2
    exit 2
    ;;
esac

# The answer of last time holds while the compiler and this script are the same
# and the headers it found are there.
compiler=${CC:-cc}
stamp=$build/need-$what
script=$0
if [ -f "$stamp" ] && [ -z "$(find "$script" -newer "$stamp")" ]; then
    {
        read -r was_compiler
        read -r headers
    } <"$stamp"
    if [ "$was_compiler" = "$compiler" ]; then
        here=yes
        for h in $headers; do
            [ -f "$h" ] || here=no
        done
        [ $here = yes ] && exit 0
    fi
fi

tmp=$(mktemp -d "${TMPDIR:-/tmp}/need.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM

# try HEADERS FUNCTION LIBS: a program that includes them and calls it links.
try() {
    : >"$tmp/t.c"
    for h in $1; do
        printf '#include <%s>\n' "$h" >>"$tmp/t.c"
    done
    printf 'int main(void) { return ((void *)(%s)) == 0; }\n' "$2" >>"$tmp/t.c"
    # shellcheck disable=SC2086 # the flags are words
    $compiler ${CPPFLAGS:-} -D_GNU_SOURCE -MD -MF "$tmp/d" -o "$tmp/t" \
        "$tmp/t.c" ${LDFLAGS:-} $3 >"$tmp/log" 2>&1
}

# What a program needs:
# debian|fedora|arch|brew|header|function|libraries|why
needs() {
    cat <<'END'
libreadline-dev|readline-devel|readline|readline|stdio.h readline/readline.h|rl_callback_sigcleanup|-lreadline|line editing at the prompt
libncurses-dev|ncurses-devel|ncurses|ncurses|curses.h|initscr|-lncursesw|the full-screen timeline
libjansson-dev|jansson-devel|jansson|jansson|jansson.h|json_dumps|-ljansson|JSON output
libcmark-dev|cmark-devel|cmark|cmark|cmark.h|cmark_parse_document|-lcmark|the lessons' Markdown
libjq-dev|jq-devel|jq|jq|jq.h|jq_compile|-ljq|the lessons' questions about answers
libyaml-dev|libyaml-devel|libyaml|libyaml|yaml.h|yaml_document_get_node|-lyaml|exercises
libseccomp-dev|libseccomp-devel|libseccomp|libseccomp|seccomp.h|seccomp_load|-lseccomp|graded programs' system calls
END
    if [ "$what" = test ]; then
        cat <<'END'
libcmocka-dev|libcmocka-devel|cmocka|cmocka|stdarg.h stddef.h setjmp.h stdint.h cmocka.h|_cmocka_run_group_tests|-lcmocka|the tests
zlib1g-dev|zlib-devel|zlib|zlib|zlib.h|gzopen|-lz|reading the tests' compressed corpora
END
    fi
}

deb='' fedora='' arch='' brew='' found=''
missing() { # debian fedora arch brew why
    echo "missing: $1 ($5)"
    deb="$deb $1" fedora="$fedora $2" arch="$arch $3" brew="$brew $4"
}

# Notes what is missing, and which headers the present ones are.
look() {
    deb='' fedora='' arch='' brew='' found=''
    first=${compiler%% *}
    case $first in
    cc | gcc | c99) ;;
    *)
        if ! command -v "$first" >/dev/null 2>&1; then
            echo "error: there is no compiler '$first', which CC names" >&2
            exit 2
        fi
        ;;
    esac
    if ! command -v "$first" >/dev/null 2>&1 || ! try stdio.h puts ""; then
        missing gcc gcc gcc gcc "the C compiler"
        missing libc6-dev glibc-devel glibc gcc "the C library's headers"
        # without a compiler nothing can be tried: all of it is wanted
        needs >"$tmp/needs"
        while IFS='|' read -r d f a b _ _ _ why; do
            missing "$d" "$f" "$a" "$b" "$why"
        done <"$tmp/needs"
        return
    fi
    needs >"$tmp/needs"
    while IFS='|' read -r d f a b header function libs why; do
        if try "$header" "$function" "$libs"; then
            last=${header##* }
            found="$found $(tr -s ' ' '\n' <"$tmp/d" |
                grep "/$last\$" | head -n 1)"
        else
            missing "$d" "$f" "$a" "$b" "$why"
        fi
    done <"$tmp/needs"
}

# How to become root, or failure.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        sudo=''
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo="sudo -n"
    else
        return 1
    fi
}

# Installs $deb; package lists are fetched first only where there are none.
apt_install() {
    log=$tmp/apt
    env="env DEBIAN_FRONTEND=noninteractive"
    # shellcheck disable=SC2086
    for attempt in as-it-is updated; do
        if [ $attempt = updated ]; then
            echo "running: ${sudo:+$sudo }apt-get update"
            $sudo apt-get update >"$log" 2>&1 </dev/null
        elif ! apt-cache show $deb >/dev/null 2>&1; then
            continue
        fi
        echo "running: ${sudo:+$sudo }apt-get install -y --no-install-recommends$deb"
        $sudo $env apt-get install -y --no-install-recommends $deb \
            >"$log" 2>&1 </dev/null && return 0
    done
    tail -n 5 "$log" >&2
    return 1
}

# The CUDA compiler, looked for where src/toolchain/find.c does.
root=${TILECOPY_CUDA_ROOT:-} # for the tests
toolkit=${TILECOPY_TOOLKIT:-toolkit}
find_nvcc() {
    if [ -n "${TILECOPY_NVCC:-}" ]; then
        nvcc=$TILECOPY_NVCC
        compiles "$nvcc"
        return
    fi
    for nvcc in "$(command -v nvcc 2>/dev/null)" \
        "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
        "$root"/usr/local/cuda*/bin/nvcc "$root/opt/cuda/bin/nvcc" \
        "$toolkit/nvidia/cu13/bin/nvcc"; do
        compiles "$nvcc" && return 0
    done
    return 1
}

# Is it an nvcc that knows sm_90a?
compiles() {
    [ -f "$1" ] && [ -x "$1" ] || return 1
    major=$("$1" --version 2>/dev/null |
        sed -n 's/.*release \([0-9][0-9]*\)\..*/\1/p')
    [ "${major:-0}" -ge 12 ]
}

# Finds or fetches it, and what it needs; else says why not. $found gets it, so
# that the answer holds while it is there.
cuda() {
    deb=''
    host=${CXX:-g++}
    command -v "${host%% *}" >/dev/null 2>&1 ||
        missing g++ gcc-c++ gcc gcc "CUDA programs' host side"
    if ! find_nvcc && [ -z "${TILECOPY_NVCC:-}" ] &&
        ! command -v curl >/dev/null 2>&1 &&
        ! command -v wget >/dev/null 2>&1 &&
        ! python3 -m pip --version >/dev/null 2>&1; then
        missing curl curl curl curl "fetching a CUDA compiler"
        missing ca-certificates ca-certificates ca-certificates '' \
            "fetching a CUDA compiler"
        command -v python3 >/dev/null 2>&1 ||
            command -v unzip >/dev/null 2>&1 ||
            missing unzip unzip unzip unzip "unpacking a CUDA compiler"
    fi
    if [ -n "$deb" ] && { ! command -v apt-get >/dev/null 2>&1 ||
        ! as_root || ! apt_install; }; then
        without "these packages are missing:$deb"
        return
    fi
    if ! find_nvcc; then
        if [ -n "${TILECOPY_NVCC:-}" ]; then
            without "TILECOPY_NVCC names $TILECOPY_NVCC, which is no nvcc of CUDA 12 or newer"
            return
        fi
        if ! sh "$(dirname "$script")/toolkit.sh" "$toolkit"; then
            without "there is no nvcc, and none could be fetched"
            return
        fi
        nvcc=$toolkit/nvidia/cu13/bin/nvcc
    fi
    found="$found $nvcc"
}

without() {
    echo "SKIPPED: the tests that need a CUDA compiler: $1"
    whole=no
}

give_up() {
    {
        echo "error: $1; install them and try again:"
        echo "  Debian, Ubuntu:$deb"
        echo "  Fedora:        $fedora"
        echo "  Arch:          $arch"
        echo "  Homebrew:      $brew"
    } >&2
    exit 2
}

look
if [ -n "$deb" ]; then
    command -v apt-get >/dev/null 2>&1 ||
        give_up "these packages are missing, and there is no apt-get"
    as_root ||
        give_up "these packages are missing, and installing them needs root"
    apt_install || give_up "apt-get could not install these packages"
    look
    [ -z "$deb" ] || give_up "these packages do not work as installed"
fi
whole=yes
[ "$what" = run ] || cuda
# what was skipped is tried again next time
[ $whole = no ] || {
    mkdir -p "$build" && printf '%s\n%s\n' "$compiler" "$found" >"$stamp"
}
exit 0
