#!/bin/sh
# Says what greet.sh gets wrong; exit 0 when it gets everything right.
failed=0
check() {
    expected=$1
    shift
    actual=$(sh ./greet.sh "$@")
    if [ "$actual" = "$expected" ]; then
        echo "ok: greet $*"
    else
        echo "FAILED: greet $*: expected '$expected', got '$actual'"
        failed=1
    fi
}
check 'Hello, Ada!' Ada
check 'Hello, world!'
check 'HELLO, ADA!' --loud Ada
exit $failed
