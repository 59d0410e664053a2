#!/bin/sh
# Write .mvn/checksums anew: of the pinned Maven, then of all that it is asked for here, fetched into an empty repository.
set -eu
project=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
# shellcheck source=middleware-kotlin/.mvn/wrapper/distribution.sh
. "$project/.mvn/wrapper/distribution.sh"

work=$(mktemp -d)
keep() { sums >"$work/checksums.sha256"; }
record() {
    "$maven/bin/mvn" --batch-mode --quiet "-Dmaven.repo.local=$work/repository" \
        -Daether.artifactResolver.postProcessor.trustedChecksums.record=true \
        "-Daether.trustedChecksumsSource.summaryFile.basedir=$work" "$@"
}

rm -rf -- "$maven"
fetch keep
trap 'rm -rf -- "$work"' EXIT
# What runs tests and reports their coverage is fetched only when a test runs.
record --file "$project/pom.xml" -Pcoverage -Dtest=TokensTest verify spotless:apply cyclonedx:makeBom
record --file "$project/pom.xml" -Pfuzz dependency:build-classpath "-Dmdep.outputFile=$work/class-path"
record --file "$project/prove/clients/java/pom.xml" "-DbuildDirectory=$work/clients" compile dependency:copy-dependencies
# Our own description changes with every version in it.
grep -v '  mwlab/' "$work/checksums.sha256" | LC_ALL=C sort -k 2 -o "$checksums"
