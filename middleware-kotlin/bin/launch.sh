# Sourced by the programs beside it, which set $here to their folder: starts a main class of middleware.jar.
# The jar is $MIDDLEWARE_JAR, or middleware.jar in $here or in $here/../target/. Java 17 or later is that of $JAVA_HOME,
# or of the path; $JAVA_OPTS are further options for it, and win.
# shellcheck shell=sh
: "${here:?}"

# launch <program> <main class> <JVM options> <rehearsal: arguments with which it ends soon by itself> [<argument> ...]
launch() {
    program=$1 class=$2 rehearsal=$4
    # A simple collector takes less CPU and memory from the measured system.
    options="-XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off $3"
    shift 4
    find_jar
    find_java
    find_archive
    # shellcheck disable=SC2086 # the options are words
    exec "$java" $options ${archived:+"$archived"} ${JAVA_OPTS:-} -cp "$jar" "$class" "$@"
}

find_jar() {
    jar=${MIDDLEWARE_JAR:-}
    for candidate in "$here/middleware.jar" "$here/../target/middleware.jar"; do
        if [ -z "$jar" ] && [ -f "$candidate" ]; then jar=$candidate; fi
    done
    if [ ! -f "$jar" ]; then
        echo "$program: no jar at ${jar:-$here/middleware.jar or $here/../target/middleware.jar};" \
            "build it, or set MIDDLEWARE_JAR to where it is" >&2
        exit 1
    fi
}

find_java() {
    java=${JAVA_HOME:+$JAVA_HOME/bin/}java
    if ! command -v "$java" >/dev/null 2>&1; then
        echo "$program: no java found; install a Java 17 runtime (Debian: openjdk-17-jre-headless)" >&2
        exit 1
    fi
}

# The archive of loaded classes saves half of the start-up. It comes from the rehearsal, is written under a name of its
# own and moved into place, so instances that start together do not disturb each other; without a place to write it, or
# with one that does not fit its jar any more, the JVM does without.
find_archive() {
    archive=${jar%.jar}-$program.jsa
    if [ -z "$(find "$archive" -newer "$jar" 2>/dev/null)" ] && [ -w "$(dirname -- "$jar")" ]; then
        # shellcheck disable=SC2086 # options and rehearsal are words
        timeout -k 1 20 "$java" $options -Dmwlab.rehearsal=true -XX:ArchiveClassesAtExit="$archive.$$" \
            -cp "$jar" "$class" $rehearsal </dev/null >/dev/null 2>&1 || true
        # On a host too slow for it, the next start is not to try again: what is touched fits, or the JVM passes over it.
        if [ -s "$archive.$$" ]; then mv -f -- "$archive.$$" "$archive"; else touch -- "$archive"; fi
    fi
    archived=''
    if [ -s "$archive" ]; then archived=-XX:SharedArchiveFile=$archive; fi # one word, whatever the path
}
