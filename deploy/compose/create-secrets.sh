#!/bin/sh
# Creates the secrets of compose.yaml as files, once. Existing files stay as they are. Store a copy of key-pepper, key-ring and
# backup-passphrase elsewhere: without them, keys, voucher codes and backups are lost.
set -eu
umask 077
folder=${1:-$(dirname "$0")/secrets}
host=${2:-postgres:5432}
mkdir -p "$folder"
cd "$folder"

create() { # NAME COMMAND…
  name=$1
  shift
  [ -e "$name" ] || "$@" > "$name"
}
database_url() { # ROLE
  echo "postgresql://$1:$(openssl rand -hex 24)@$host/scrip"
}
key_ring() {
  echo "1:$(openssl rand -hex 32)"
}

create postgres-password openssl rand -hex 24
create database-url database_url scrip_server
create operator-database-url database_url scrip_operator
create chain-database-url database_url scrip_chain
create owner-database-url database_url scrip_owner
create key-pepper openssl rand -hex 32
create key-ring key_ring
create backup-passphrase openssl rand -hex 32
# Empty: emails wait. Put smtp://user:password@mail.example.com:587 here.
create smtp-url true
# The users of the containers read the files that are mounted for them. Users of this machine cannot enter the folder.
chmod 644 ./*
