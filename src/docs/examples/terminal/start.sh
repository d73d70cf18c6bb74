#!/usr/bin/env bash
# Starts the sample terminal at the gateway of `npm start`: what an operator, a cashier and a terminal's maker do, in one.
#
#   bash src/docs/examples/terminal/start.sh [TERMINAL_ID]
#
# In the environment: PERSIST_TO, if `npm start` has it. Needs a JDK, 11 or later.
set -euo pipefail
umask 077
id=${1:-T-JAVA}
if [[ $id == -* ]]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0"
  [[ $id == --help ]] && exit 0 || exit 5
fi
cd "$(dirname "$0")/../../../.."
state=${PERSIST_TO:-.wrangler/state}
data=$state/java-terminal
mkdir -p "$data"
# Like `npm run pos`: the second line of this file is the port of the gateway that runs.
port=${PORT:-$(sed -n 2p "$state/start.lock" 2>/dev/null || true)}

javac -d "$data/classes" -sourcepath src/docs/examples/terminal src/docs/examples/terminal/SampleTerminal.java

# The operator enrols the terminal. The file keeps its secret.
printf 'terminalId\n%s\n' "$id" > "$data/$id.csv"
npm run --silent operator -- enrol --csv "$data/$id.csv" --secrets-to "$data/$id.secrets.csv"

# The POS shows a key.
key=$(npm run --silent pos -- bindKey --json | sed 's/.*"key":"\([^"]*\)".*/\1/')

GATEWAY_URL=${GATEWAY_URL:-http://127.0.0.1:${port:-8787}} TERMINAL_ID=$id BIND_KEY=$key TERMINAL_FOLDER=$data \
  TERMINAL_SECRET=$(sed -n "s/^$id, *//p" "$data/$id.secrets.csv") \
  exec java -cp "$data/classes" SampleTerminal
