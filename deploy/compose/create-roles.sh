#!/bin/sh
# Creates the roles and the database, with the passwords of the database addresses. The image of PostgreSQL runs this when its folder
# of data is empty.
set -eu
secrets=${SECRETS:-/run/secrets}

create_role() { # ROLE NAME-OF-SECRET
  password=$(sed 's|^postgresql://[^:]*:\([^@]*\)@.*|\1|' "$secrets/$2")
  echo "create role $1 login password '$password';"
}
{
  create_role scrip_owner owner-database-url
  create_role scrip_server database-url
  create_role scrip_operator operator-database-url
  create_role scrip_chain chain-database-url
  echo 'grant scrip_server to scrip_operator, scrip_chain;'
  echo 'create database scrip owner scrip_owner;'
} | psql --quiet --set ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres
