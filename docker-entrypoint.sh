#!/bin/sh
# api: the REST API. retrieval: the component behind graph queries, when it is deployed apart.
# backup FILE, restore FILE: the data of the service, from and to the database it is set to.
set -eu
case "${1:-api}" in
  api) exec node --enable-source-maps dist/src/main.js ;;
  retrieval) exec node --enable-source-maps dist/src/retrieval.main.js ;;
  backup | restore) exec node --enable-source-maps dist/src/backup.main.js "$@" ;;
  *) exec "$@" ;;
esac
