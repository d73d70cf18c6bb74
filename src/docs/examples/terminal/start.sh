#!/usr/bin/env bash
# Starts the sample terminal at the gateway of `npm start`: what an operator, a cashier and a terminal's maker do, in one.
#
#   bash src/docs/examples/terminal/start.sh [TERMINAL_ID]
#
# In the environment: PORT and PERSIST_TO, if `npm start` has them. Needs a JDK, 11 or later.
set -euo pipefail
umask 077
cd "$(dirname "$0")/../../../.."
id=${1:-T-JAVA}
data=${PERSIST_TO:-.wrangler/state}/java-terminal
mkdir -p "$data"

javac -d "$data/classes" -sourcepath src/docs/examples/terminal src/docs/examples/terminal/SampleTerminal.java

# The operator enrols the terminal. The file keeps its secret.
printf 'terminalId\n%s\n' "$id" > "$data/$id.csv"
npm run --silent operator -- enrol --csv "$data/$id.csv" --secrets-to "$data/$id.secrets.csv"

# The POS shows a key.
key=$(npm run --silent pos -- bindKey --json | sed 's/.*"key":"\([^"]*\)".*/\1/')

GATEWAY_URL=http://127.0.0.1:${PORT:-8787} TERMINAL_ID=$id BIND_KEY=$key TERMINAL_FOLDER=$data \
  TERMINAL_SECRET=$(sed -n "s/^$id, *//p" "$data/$id.secrets.csv") \
  exec java -cp "$data/classes" SampleTerminal
