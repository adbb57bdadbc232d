#!/bin/sh
# Takes a backup each night at 02:00 UTC: a full one on Sundays, otherwise what changed since. The first one is full, at once.
set -eu
until pg_isready --quiet; do sleep 1; done
pgbackrest --stanza=scrip stanza-create
pgbackrest --stanza=scrip check
pgbackrest --stanza=scrip info | grep -q 'full backup' || pgbackrest --stanza=scrip --type=full backup
while :; do
  now=$(date -u +%s)
  sleep $(((now / 86400 + (now % 86400 >= 7200)) * 86400 + 7200 - now))
  type=diff
  [ "$(date -u +%u)" -ne 7 ] || type=full
  pgbackrest --stanza=scrip --type="$type" backup
  pgbackrest --stanza=scrip verify
done
