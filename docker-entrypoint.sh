#!/bin/sh
# api: the REST API. retrieval: the component behind graph queries, when it is deployed apart.
set -eu
case "${1:-api}" in
  api) exec node --enable-source-maps dist/src/main.js ;;
  retrieval) exec node --enable-source-maps dist/src/retrieval.main.js ;;
  *) exec "$@" ;;
esac
