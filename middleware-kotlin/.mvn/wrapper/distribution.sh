# Sourced by mvnw and lock.sh, which set $project to the folder of pom.xml: the Maven that builds it, and how it comes here.
# shellcheck shell=sh disable=SC2034
: "${project:?}"
version=3.9.16
checksums=$project/.mvn/checksums/checksums.sha256
maven=$project/../build/maven/$version
fetched=$maven.$$/repository
# Else Maven looks for .mvn where `--file x` is, but not where `--file=x` is.
export MAVEN_BASEDIR="$project"

# fetch <command>: the command sees what was fetched before anything of it runs or is kept.
fetch() {
    trap 'rm -rf -- "$maven.$$"' EXIT
    mkdir -p "$fetched" "$maven.$$/unpacked"
    resolve validate
    "$1"
    resolve dependency:get "-Dartifact=org.apache.maven:apache-maven:$version:tar.gz:bin" -Dtransitive=false
    "$1"
    tar -xzf "$fetched/org/apache/maven/apache-maven/$version/apache-maven-$version-bin.tar.gz" \
        -C "$maven.$$/unpacked" --strip-components=1
    mv -T -- "$maven.$$/unpacked" "$maven" || [ -x "$maven/bin/mvn" ] # another build may have been faster
    rm -rf -- "$maven.$$"
    trap - EXIT
}

# resolve <argument of mvn> ...: the machine's own Maven and its settings, which say from where; a repository of its own.
# One of 3.9 or later would hold it to the list by itself, also while the list is made.
resolve() {
    mvn --batch-mode --quiet -Dstyle.color=never --file "$project/.mvn/wrapper/pom.xml" "-Dmaven.repo.local=$fetched" \
        -Daether.artifactResolver.postProcessor.trustedChecksums=false "$@" >&2
}

# sums: a line for each file that was fetched, as Maven writes its own.
sums() {
    (
        cd "$fetched" || exit
        find . -type f '(' -name '*.jar' -o -name '*.pom' -o -name '*.tar.gz' ')' -printf '%P\n' | LC_ALL=C sort |
            xargs sha256sum
    )
}
