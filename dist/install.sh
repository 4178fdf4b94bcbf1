#!/bin/sh
# Installs Windlass for one person, without root: fetches the archive for this machine, checks it, and puts it below a prefix.
#
#   sh install.sh --from URL [--prefix DIR] [--version VERSION] [--sums DIGEST]
#
# URL is where the files of a release are: https://…, http://…, or file:///… for a folder of this machine.
# DIR is ~/.local unless said otherwise. VERSION is the only one that is taken then. DIGEST is the SHA-256 of the release's SHA256SUMS,
# known from elsewhere: with it nothing but that very release is installed. Nothing is left where something goes wrong.
set -eu

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

usage() {
    printf 'usage: sh install.sh --from URL [--prefix DIR] [--version VERSION] [--sums DIGEST]\n' >&2
    exit 2
}

from=${WINDLASS_INSTALL_FROM:-}
prefix=${HOME:-}/.local
named=
digest=
while [ "$#" -gt 0 ]; do
    case $1 in
        --from) [ "$#" -ge 2 ] || usage; from=$2; shift 2 ;;
        --prefix) [ "$#" -ge 2 ] || usage; prefix=$2; shift 2 ;;
        --version) [ "$#" -ge 2 ] || usage; named=$2; shift 2 ;;
        --sums) [ "$#" -ge 2 ] || usage; digest=$2; shift 2 ;;
        *) usage ;;
    esac
done
[ -n "$from" ] || usage
case $named in
    '') wanted='[0-9A-Za-z.+-]*' ;;
    *[!0-9A-Za-z.+-]*) fail "$named is not a version: name one like 1.2.3." ;;
    *) wanted=$(printf '%s' "$named" | sed 's/[.]/\\./g') ;;
esac
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac

system=$(uname -s)
machine=$(uname -m)
[ "$system" = Linux ] || fail "Windlass runs on Linux only, WSL included; this is $system."
case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "There is no Windlass for $machine: build it from source with cargo install." ;;
esac
for program in tar gzip sha256sum; do
    command -v "$program" >/dev/null 2>&1 || fail "$program is missing: install it, then try again."
done

# fetch NAME FILE: one file of the release.
fetch() {
    case $from in
        file://*)
            cp -- "${from#file://}/$1" "$2" 2>/dev/null || fail "$from/$1 cannot be read: is this the folder of a release?" ;;
        http://* | https://*)
            if command -v curl >/dev/null 2>&1; then
                curl --fail --silent --show-error --location --proto '=http,https' --output "$2" "$from/$1" ||
                    fail "$from/$1 cannot be fetched: check the address and the network, then try again."
            elif command -v wget >/dev/null 2>&1; then
                wget -q -O "$2" "$from/$1" ||
                    fail "$from/$1 cannot be fetched: check the address and the network, then try again."
            else
                fail "Neither curl nor wget is installed: install one, then try again."
            fi ;;
        *) fail "$from is not an address: begin it with https://, http:// or file://." ;;
    esac
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

fetch SHA256SUMS "$scratch/SHA256SUMS"
if [ -n "$digest" ]; then
    printf '%s  SHA256SUMS\n' "$digest" | (cd "$scratch" && sha256sum -c - >/dev/null 2>&1) ||
        fail "$from/SHA256SUMS is not the one of --sums: it is another release or changed, and nothing was installed."
fi
# What needs no glibc goes first: it runs on any Linux.
archive=
for library in musl gnu; do
    [ -n "$archive" ] || archive=$(sed -n "s/^[0-9a-f]\{64\}  \(windlass-$wanted-$machine-unknown-linux-$library\.tar\.gz\)\$/\1/p" "$scratch/SHA256SUMS" | head -n 1)
done
[ -n "$archive" ] || fail "$from/SHA256SUMS names no archive${named:+ of version $named} for $machine: is this the place of a release?"

fetch "$archive" "$scratch/$archive"
(cd "$scratch" && grep -F "  $archive" SHA256SUMS | sha256sum -c - >/dev/null 2>&1) ||
    fail "$archive is not what SHA256SUMS says: it came incomplete or changed, and nothing was installed."
tar -xzf "$scratch/$archive" -C "$scratch" || fail "$archive cannot be unpacked, and nothing was installed."
unpacked=$scratch/${archive%.tar.gz}
version=$("$unpacked/bin/windlass" --version 2>/dev/null) ||
    fail "$archive does not run on this machine, and nothing was installed: a glibc that is too old is the usual reason."
named_version=${archive#windlass-}
named_version=${named_version%-"$machine"-unknown-linux-*}
[ "$version" = "windlass $named_version" ] ||
    fail "$archive holds another program or version (it says '$version'), and nothing was installed."

writable() {
    mkdir -p "$1" 2>/dev/null && [ -w "$1" ]
}
for folder in "$prefix/bin" "$prefix/share"; do
    writable "$folder" || fail "$folder cannot be written: name a folder of yours with --prefix."
done
[ ! -d "$prefix/bin/windlass" ] ||
    fail "$prefix/bin/windlass is a folder, where the program would go: move it away, then try again."
# The program last, beside its place first, then renamed: whoever starts it meanwhile gets the old one or the new one, whole.
cp -R -- "$unpacked/share/." "$prefix/share/" 2>/dev/null ||
    fail "The manual pages cannot be written below $prefix/share, and the program was not installed: make room or the folder writable, then try again."
new=$prefix/bin/.windlass.new
cp -- "$unpacked/bin/windlass" "$new" 2>/dev/null && chmod 755 "$new" && mv -f -- "$new" "$prefix/bin/windlass" || {
    rm -f -- "$new"
    fail "$prefix/bin/windlass cannot be written, and is what it was: make room there, then try again."
}

printf '%s is installed: %s\n' "$version" "$prefix/bin/windlass"
case :${PATH:-}: in
    *:"$prefix/bin":*) printf 'Try it: windlass demo\n' ;;
    *)
        printf '%s is not on your PATH. Add this line to your shell'\''s profile, and open a new terminal:\n' "$prefix/bin"
        # shellcheck disable=SC2016 # the profile is to expand it
        printf '  export PATH="%s:$PATH"\n' "$prefix/bin"
        printf 'Try it: %s demo\n' "$prefix/bin/windlass" ;;
esac
