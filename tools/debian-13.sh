#!/usr/bin/env bash
# Unpacks Patroni 4 and PgBouncer 1.24 of Debian 13 into FOLDER, without installing them: Patroni 3.0.2 of Debian 12 loses
# acknowledged writes, and its PgBouncer 1.18 has no prepared statements in transaction mode. Patroni runs with the Python of
# Debian 12; PgBouncer needs the libraries of Debian 13, which are unpacked next to it. For drills.
#   tools/debian-13.sh FOLDER
set -euo pipefail
folder=${1:?Name a folder.}
# The number rises with the list of packages.
complete=$folder/complete-2
[ ! -e "$complete" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,cache}/partial "$work/cache/archives/partial" "$work/debs" "$folder"
cat >"$work/debian-13.sources" <<'SOURCES'
Types: deb
URIs: http://deb.debian.org/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES

# Lists and caches of its own: the machine's sources stay as they are. The keyring checks the signatures.
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/debian-13.sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root "$@"
}
apt update
cd "$work/debs"
apt download patroni python3-ydiff pgbouncer libc6 libcares2 libevent-2.1-7t64 libssl3t64 libsystemd0 libpam0g libaudit1 libcap2 \
  libcap-ng0 libzstd1 zlib1g
for package in *.deb; do
  case $package in
    patroni_* | python3-ydiff_*) dpkg -x "$package" "$folder/patroni" ;;
    *) dpkg -x "$package" "$folder/pgbouncer" ;;
  esac
done
chmod -R a+rX "$folder"
touch "$complete"
