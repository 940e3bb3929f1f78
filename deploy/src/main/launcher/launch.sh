# Starts the command line, for ./ensemble and bin/ensemble, which read this file by ".".
# shellcheck shell=sh

fail() {
  printf 'ensemble: %s\n' "$1" >&2
  exit 1
}

# The target of a file name that is a symbolic link, or a chain of them.
resolve() {
  path=$1
  while [ -h "$path" ]; do
    link=$(readlink "$path")
    case $link in
      /*) path=$link ;;
      *) path=$(dirname -- "$path")/$link ;;
    esac
  done
  printf '%s\n' "$path"
}

# Sets $java and $version: a Java of 17 or later, by JAVA_HOME, else by the PATH.
#   find_java KIND
find_java() {
  wanted="a $1 17 or later is needed"
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "$wanted; JAVA_HOME has no bin/java: $JAVA_HOME"
  else
    java=$(command -v java) || fail "$wanted: set JAVA_HOME, or put java on the PATH"
    java=$(resolve "$java")
  fi
  # A Java names its version in a file, which costs less than starting it.
  release=$(dirname -- "$(dirname -- "$java")")/release
  if [ -r "$release" ]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$release")
  else
    version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
  fi
  [ "${version:-0}" -ge 17 ] || fail "$wanted; found version ${version:-unknown}: $java"
}

# Replaces the shell by the command line.
#   launch LIBRARIES BENCHMARKS SERVERS CACHE ARGUMENT...
# The first three are directories of jars. Archives of loaded classes are written to CACHE; if it
# is empty, beside SERVERS.
launch() {
  libraries=$1 benchmarks=$2 servers=$3 cache=$4
  shift 4
  # Most commands are over in a second: no optimizing compiler. These work for longer.
  short='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx256m'
  flags=$short
  for word in "$@"; do
    case $word in
      # A service that has run out of memory is to end, not to go on half dead.
      up | rest) flags='-XX:+UseParallelGC -Xms512m -Xmx1536m -XX:+ExitOnOutOfMemoryError' ;;
      # Serves for days, and stays small: the collector and the compiler of a server.
      zoofence) flags='-XX:+UseG1GC -Xms256m -Xmx1024m -XX:+ExitOnOutOfMemoryError' ;;
      demo | ycsb | check) flags='-XX:+UseParallelGC -Xms512m -Xmx1536m' ;;
      -*) continue ;;
    esac
    break
  done
  case " $* " in
    *' zoofence move '* | *' zoofence flattening '*) flags=$short ;;
  esac

  # What Netty does for speed is warned of by later Javas.
  if [ "$version" -ge 24 ]; then
    flags="$flags --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
  fi

  terminal=false
  if [ -t 1 ]; then terminal=true; fi
  moving=false
  if [ -t 2 ]; then moving=true; fi

  # shellcheck disable=SC2086 # the flags are several words
  exec "$java" $flags ${ENSEMBLE_JAVA_OPTS:-} \
    -Densemble.terminal.out=$terminal -Densemble.terminal.err=$moving \
    -Densemble.benchmarks="$benchmarks" -Densemble.servers="$servers" \
    ${cache:+"-Densemble.servers.archives=$cache"} \
    -cp "$libraries/ensemble-cli.jar" io.ensemble.cli.Main "$@"
}
