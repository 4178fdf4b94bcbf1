#!/bin/sh
# What the GitHub Action does: calls windlass, leaves a report, and ends as windlass ended.
#
# WINDLASS is the program, ARGUMENTS what it is called with, one argument per line, REPORT the folder for the report. No line is
# expanded or divided, so that nothing in it is a command of the shell.
set -u

set --
while IFS= read -r argument; do
    [ -z "$argument" ] || set -- "$@" "$argument"
done <<END
$ARGUMENTS
END
if [ "$#" -eq 0 ]; then
    printf 'error: There is nothing to do: write what windlass is called with into arguments, one argument per line.\n' >&2
    exit 2
fi

mkdir -p "$REPORT" || exit 1
printf 'report=%s\n' "$REPORT" >>"$GITHUB_OUTPUT"

# Both outputs in their order, shown as they come; the code is that of windlass, not that of tee.
{
    "$WINDLASS" "$@" </dev/null 2>&1
    printf '%s\n' "$?" >"$REPORT/exit-code"
} | tee "$REPORT/output.txt"
code=$(cat "$REPORT/exit-code")
printf 'exit-code=%s\n' "$code" >>"$GITHUB_OUTPUT"

# Where there was no run, these have nothing to say, and that is no failure.
"$WINDLASS" runs --json >"$REPORT/runs.json" 2>/dev/null || rm -f "$REPORT/runs.json"
"$WINDLASS" logs --json >"$REPORT/log.jsonl" 2>/dev/null || rm -f "$REPORT/log.jsonl"
"$WINDLASS" diff >"$REPORT/changes.patch" 2>/dev/null || rm -f "$REPORT/changes.patch"
exit "$code"
