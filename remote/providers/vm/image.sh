#!/bin/sh
# Build what virtual machines boot, from Debian's packages only: root.ext4, vmlinuz and initrd.img in FOLDER. Needs root.
# Usage: image.sh FOLDER PACKAGE...
#   PACKAGE: is not installed, but in the image's own repository /srv/packages, with all that it needs. Machines
#            made of the image thus begin bare, and can be provisioned without a network.
set -eu
folder=$1
shift
tree=$folder/tree
into() { # PATH [MODE]: write standard input to a file of the image
    mkdir -p "$(dirname "$tree/$1")"
    cat >"$tree/$1"
    chmod "${2:-644}" "$tree/$1"
}

rm -rf "$tree" "$folder/unpacked"
mkdir -p "$folder"
download="mkdir -p \"\$1/srv/packages/partial\" && chroot \"\$1\" apt-get install --yes --quiet --download-only
    --no-install-recommends -o Dir::Cache::archives=/srv/packages $*"
mmdebstrap --quiet --mode=root --variant=apt --architectures=amd64 \
    --include=systemd-sysv,dbus,udev,kmod,linux-image-cloud-amd64,openssh-server,sudo,iproute2,chrony,e2fsprogs,cloud-init \
    --aptopt='APT::Install-Recommends "false"' --customize-hook="$(echo "$download" | tr '\n' ' ')" \
    bookworm "$tree"

rm -rf "$tree/srv/packages/partial" "$tree/srv/packages/lock"
# Stored as they are, for an emulated processor takes a minute to decompress a JVM's.
for package in "$tree"/srv/packages/*.deb; do
    dpkg-deb --raw-extract "$package" "$folder/unpacked"
    dpkg-deb -Znone --build "$folder/unpacked" "$package"
    rm -rf "$folder/unpacked"
done
(cd "$tree/srv/packages" && apt-ftparchive packages . >Packages)
rm -rf "$tree"/etc/apt/sources.list.d/*
echo 'deb [trusted=yes] file:/srv/packages ./' | into etc/apt/sources.list
echo 'Acquire::Languages "none";' | into etc/apt/apt.conf.d/90lab
echo force-unsafe-io | into etc/dpkg/dpkg.cfg.d/lab

# A user who may become root without a password, as on rented machines.
chroot "$tree" useradd --create-home --shell /bin/bash lab
echo 'lab ALL=(ALL) NOPASSWD:ALL' | into etc/sudoers.d/lab 440
echo '/dev/vda / ext4 defaults 0 1' | into etc/fstab
: >"$tree/etc/machine-id"
rm -f "$tree"/etc/ssh/ssh_host_*

# What makes the image one machine (keys, addresses, clock) is a tar archive on a second disk.
into etc/systemd/system/lab-seed.service <<'UNIT'
[Unit]
Description=Unpack what makes this image one machine
DefaultDependencies=no
ConditionPathExists=/dev/vdb
After=systemd-remount-fs.service
Before=systemd-networkd.service cloud-init-local.service sysinit.target
[Service]
Type=oneshot
ExecStart=/usr/bin/tar --extract --numeric-owner --directory=/ --file=/dev/vdb
[Install]
WantedBy=sysinit.target
UNIT
# cloud-init takes neither the network nor the repository away, and has no other locale; it runs where the kernel is told so.
into etc/cloud/cloud.cfg.d/90_lab.cfg <<'CONFIG'
network: {config: disabled}
apt_preserve_sources_list: true
locale: C.UTF-8
CONFIG
chroot "$tree" systemctl --quiet enable lab-seed.service systemd-networkd.service

cp -L "$tree"/boot/vmlinuz-* "$folder/vmlinuz"
cp -L "$tree"/boot/initrd.img-* "$folder/initrd.img"
rm -f "$folder/root.ext4"
truncate -s 4G "$folder/root.ext4"
mke2fs -q -t ext4 -L root -d "$tree" "$folder/root.ext4"
rm -rf "$tree"
