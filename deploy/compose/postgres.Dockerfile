# PostgreSQL with pgBackRest, which PostgreSQL calls for each segment of its log. The same image takes the backups.
FROM docker.io/library/postgres:17-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends pgbackrest && rm -rf /var/lib/apt/lists/* \
  && install -d -o postgres -g postgres -m 750 /var/lib/pgbackrest /var/spool/pgbackrest /var/log/pgbackrest
COPY pgbackrest.conf /etc/pgbackrest.conf
COPY --chmod=755 back-up.sh pgbackrest-with-passphrase.sh /usr/local/bin/
# First in PATH, so that PostgreSQL's archive_command finds it too.
RUN ln -s pgbackrest-with-passphrase.sh /usr/local/bin/pgbackrest
