#!/bin/sh
# test_grade_ssh.sh PROGRAM EXERCISES - a GPU behind ssh: an sshd of the test's
# own on this machine, with a key and a port of its own. The driver there is a
# stand-in; without one the far side says what it would say here.
. "$(dirname "$0")/grade.inc"
cd "$top" || exit 1
PATH=$PATH:/usr/sbin:/sbin
for tool in sshd ssh ssh-keygen python3; do
    if ! command -v $tool >/dev/null; then
        echo "SKIPPED: no $tool (apt-get install openssh-server)"
        the_end
    fi
done
port=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir -m 700 keys
ssh-keygen -q -t ed25519 -N '' -f keys/host
ssh-keygen -q -t ed25519 -N '' -f keys/user
cp keys/user.pub keys/authorized
echo "[127.0.0.1]:$port $(cut -d ' ' -f 1,2 keys/host.pub)" >keys/known
cat >sshd.conf <<END
Port $port
ListenAddress 127.0.0.1
HostKey $top/keys/host
AuthorizedKeysFile $top/keys/authorized
PidFile $top/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitUserEnvironment yes
SetEnv TILECOPY_LIBCUDA=$top/fake.so
END
cat >ssh.conf <<END
Host box
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $top/keys/user
  IdentitiesOnly yes
  UserKnownHostsFile $top/keys/known
END
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd # its own folder for privileges
trap '[ -s "$top/sshd.pid" ] && kill "$(cat "$top/sshd.pid")"; rm -rf "$top"' EXIT
"$(command -v sshd)" -f sshd.conf -E sshd.log
for _ in $(seq 1 50); do
    [ -s sshd.pid ] && break
    sleep 0.1
done
if ! ssh -F ssh.conf -o BatchMode=yes box true 2>err </dev/null; then
    echo "SKIPPED: sshd does not serve here: $(tail -n 2 err sshd.log | tr '\n' ' ')"
    the_end
fi

cp "$program" tilecopy-repl
cat >where.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry where(.param .u64 p) { ret; }
END
far="ssh -F $top/ssh.conf box $top/tilecopy-repl"
gpu() { # by the runner $1
    run --runner "$1" -e "launch where 1 32 i32[64]" -e gpu where.ptx
}

# No driver there: the same answer as here, and 110.
gpu "$far"
is 110
says err "no GPU here: the NVIDIA driver's library $top/fake.so cannot be loaded"

if ! cc -w -shared -fPIC -o fake.so "$subs/../built/fake_cuda.c" 2>err; then
    echo "SKIPPED: no cc for the stand-in"
    the_end
fi
TILECOPY_LIBCUDA=$top/fake.so run -e "launch where 1 32 i32[64]" -e gpu where.ptx
near=$status
cp out near
gpu "$far"
is $near
says out "Fake GPU"
what="a GPU by ssh says what one here says"
sed 's/[0-9.]* [mu]s//' near >near.text
if sed 's/[0-9.]* [mu]s//' out | cmp -s - near.text; then ok; else bad "not"; fi

# `set runner` at the prompt, and back.
run -e "set runner \"$far\"" -e "launch where 1 32 i32[64]" -e gpu \
    -e "set runner none" -e set where.ptx
is $near
says out "Fake GPU"
says out "runner none"

# The program there is not in PATH; a machine that is not there; a wrong key.
gpu "ssh -F $top/ssh.conf box"
is 110
says err "ended with status 127"
says err "tilecopy-repl"
gpu "ssh -F $top/ssh.conf -p 1 box"
is 110
says err "onnection refused"
ssh-keygen -q -t ed25519 -N '' -f keys/other
gpu "ssh -F $top/ssh.conf -o IdentityFile=$top/keys/other -i $top/keys/other \
-o IdentityAgent=none -F /dev/null -p $port \
-o UserKnownHostsFile=$top/keys/known 127.0.0.1 $top/tilecopy-repl"
is 110
says err "Permission denied"

# What the start files there print is skipped; another version is told.
printf '#!/bin/sh\necho "You have mail."\nexec "%s" "$@"\n' "$top/tilecopy-repl" \
    >chatty
mkdir other
printf '#!/bin/sh\nprintf "\\ntilecopy-gpu-worker 0.0.1 format 0, 1 2 little\\n"\nsleep 9\n' \
    >other/tilecopy-repl
chmod +x chatty other/tilecopy-repl
mkdir talk
mv chatty talk/tilecopy-repl
gpu "ssh -F $top/ssh.conf box $top/talk/tilecopy-repl"
is $near
says out "Fake GPU"
gpu "ssh -F $top/ssh.conf box $top/other/tilecopy-repl"
is 110
says err "the tilecopy-repl there is 0.0.1"
says err "they must be the same"

the_end
