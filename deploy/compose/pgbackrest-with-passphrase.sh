#!/bin/sh
# pgBackRest with the passphrase of the backups, which is in a secret and in no setting.
PGBACKREST_REPO1_CIPHER_PASS=$(cat "${SECRETS:-/run/secrets}/backup-passphrase")
export PGBACKREST_REPO1_CIPHER_PASS
exec /usr/bin/pgbackrest "$@"
