# Ends every process of a run when the run is over. Standard input is a pipe from the run: a line NAME=VALUE that every process of
# the run has in its environment, and the end, which comes when the run's first process has ended, however it has.
# Processes get a SIGTERM and three seconds. Windows has neither this shell nor a way to read another process's environment.
read -r mark
read -r _

left() {
  if [ -d /proc/self ]; then
    grep -lsxzF -e "$mark" /proc/[0-9]*/environ | cut -d / -f 3
  else
    all=$(ps -Aww -E -o pid= -o command=)
    printf '%s\n' "$all" | grep -F -e " $mark" | awk '{ print $1 }'
  fi
}

turn=0
while found=$(left) && [ -n "$found" ] && [ $turn -lt 100 ]; do
  case $turn in
    0) kill -s TERM $found ;;
    [3-9]?) kill -s KILL $found ;;
  esac 2>/dev/null
  sleep 0.1
  turn=$((turn + 1))
done
