#!/bin/sh
# Turns the namespaces it is started in into a host of the lab and becomes the host's sshd.
#
#   host.sh NAME FILES TMPFS_MIB SSHD USER TYPE OPTIONS ACCOUNT [PATH ...]
#     FILES: the host's folder, as sshd.py has written it
#     USER: who is on it: root, or the user as whom this root is outside of its namespace
#     TYPE, OPTIONS: of the control groups' file system that counts the host's CPU time, or empty
#     ACCOUNT: the file in it that does, or empty
#     PATH: a folder, file or symbolic link that stays visible on the host, and can only be read
#
# It is process 1 of the host: when it is killed, everything on the host ends.
set -eu
umask 022
name=$1 files=$2 size=size=$3m sshd=$4 user=$5
type=$6 options=$7 account=$8
shift 8

# The number and start time that this process has outside, for `lab status` and `lab down`.
read -r stat </proc/self/stat
echo "$stat" >"$files/init.half"
mv "$files/init.half" "$files/init"

# Mounts are not noted anywhere (-n): they end with this namespace.
mount -n -t proc proc /proc
hostname "$name"
[ "$user" != root ] || echo cubic >/proc/sys/net/ipv4/tcp_congestion_control

# A private /run with the host's own keys and working directory. It is filled before it is moved
# into place, because the files to copy lie in the /run that it will hide.
new=$files/run
mkdir "$new"
mount -n -t tmpfs -o "$size,mode=755" mwlab "$new"
mkdir -p "$new/sshd" "$new/middleware-lab/work"
for file in host_key authorized_keys sshd_config etc_hosts; do
  cp "$files/$file" "$new/middleware-lab/"
done
# `ip netns exec` hides /sys/fs/cgroup; of it the host gets the one file that counts its CPU time.
if [ -n "$account" ]; then
  mkdir "$new/groups"
  if mount -n -t "$type" -o "$options" mwlab "$new/groups"; then
    : >"$new/middleware-lab/cpu_account"
    mount -n --bind "$new/groups/$account" "$new/middleware-lab/cpu_account" ||
      rm "$new/middleware-lab/cpu_account"
    umount -n "$new/groups"
  fi
  rmdir "$new/groups"
fi
[ "$user" = root ] || exec 3<"/run/users/mwlab-$name"
mount -n --move "$new" /run
mount -n --bind /run/middleware-lab/etc_hosts /etc/hosts

# Folders that the host has for itself; without symbolic links, as the PATHs are. The home is empty: a host
# starts no shell with the settings of this machine's user, which may be slow, wait for locks, or change PATH.
tmp=$(readlink -m /tmp) logs=$(readlink -m /var/log)
home=$(readlink -m "$(getent passwd "$user" | cut -d : -f 6)")

# The PATHs in these folders are held elsewhere until the folders are hidden.
held=/run/middleware-lab/held
mkdir "$held"
number=0
for path; do
  number=$((number + 1))
  case $path in "$tmp"/* | "$logs"/* | "$home"/*) ;; *) continue ;; esac
  if [ -L "$path" ]; then
    cp -P "$path" "$held/$number"
    continue
  elif [ -d "$path" ]; then
    mkdir "$held/$number"
  else
    : >"$held/$number"
  fi
  mount -n --rbind "$path" "$held/$number"
done

# Keeps the options that the mount has: an ordinary user may not take them away.
make_readable_only() {
  options=$(findmnt -n -f -o VFS-OPTIONS --mountpoint "$1" | sed 's/^rw/ro/')
  mount -n -o "remount,bind,$options" "$1" || echo "host.sh: $1 can be written to" >&2
}

# hide FOLDER MODE PATH ...: put an empty folder in its place, in which only the PATHs below it are seen.
hide() {
  hidden=$1
  mount -n -t tmpfs -o "$size,mode=$2" mwlab "$hidden"
  shift 2
  number=0
  for path; do
    number=$((number + 1))
    case $path in "$hidden"/*) ;; *) continue ;; esac
    mkdir -p "$(dirname "$path")"
    if [ -L "$held/$number" ]; then
      [ -L "$path" ] || cp -P "$held/$number" "$path"
      continue
    elif [ -d "$held/$number" ]; then
      mkdir -p "$path"
    elif [ ! -e "$path" ]; then
      : >"$path"
    fi
    mount -n --rbind "$held/$number" "$path"
    make_readable_only "$path"
  done
}

# What programs leave in these is the host's own, too, and ends with it.
hide "$tmp" 1777 "$@"
hide "$logs" 755 "$@"
: >/var/log/lastlog # or sshd complains to whoever opens a shell

mkdir -p "$home" # it may lie below /tmp
hide "$home" 700 "$@"
for mounted in "$held"/*; do
  if mountpoint -q "$mounted"; then umount -n -l "$mounted"; fi
done
rm -r --one-file-system "$held"

set -- "$sshd" -D -e -f /run/middleware-lab/sshd_config
if [ "$user" = root ]; then
  # The machine's root may have a locked password, which sshd without PAM takes for a locked account.
  (umask 077 && echo 'root:*:::::::' >/run/middleware-lab/shadow)
  mount -n --bind /run/middleware-lab/shadow /etc/shadow
else
  # sshd and PostgreSQL want to be started by an ordinary user: on the host USER is one again, who may
  # listen on any port, ping and capture. Terminals are its own, without the group `tty`, which is not.
  echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
  echo 0 0 >/proc/sys/net/ipv4/ping_group_range
  # Which congestion control hosts may choose is the machine's to say, which one a route has is not.
  # shellcheck disable=SC2046
  ip route change $(ip -4 route show dev eth0) dev eth0 congctl cubic
  if tcpdump=$(command -v tcpdump) && cp "$tcpdump" /run/tcpdump &&
    setcap cap_net_raw+ep /run/tcpdump; then
    mount -n --bind /run/tcpdump "$tcpdump"
  fi
  mount -n -t devpts -o newinstance,ptmxmode=666 mwlab /dev/pts
  grep -v ^tty: /etc/group >/run/middleware-lab/group
  mount -n --bind /run/middleware-lab/group /etc/group
  set -- nsenter --user=/proc/self/fd/3 --preserve-credentials "$@"
fi

cd /
exec "$@"
