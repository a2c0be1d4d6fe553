# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the lab's tests share. Sourced with the test's own arguments: TRIPTYCH SOURCE_TREE STATE
# shellcheck disable=SC2034 # those who source this use them
triptych=$1 top=$2 state=$3
lab=$state/lab
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
unset TRIPTYCH_STATE TRIPTYCH_KILL_AT TRIPTYCH_KILL_LOG
export TRIPTYCH_DATA=$top

fail() {
	printf 'FAIL: %s\n' "$1" >&2
	[[ ! -f $scratch/err ]] || tail -n 30 "$scratch/err" >&2
	exit 1
}

t() {
	"$triptych" --state "$state" "$@"
}

sql() {
	sqlite3 "$state/triptych.db" "$1"
}

# exact COMMIT [OPTION...]: on the virtual machine; output in $scratch/out and $scratch/err
exact() {
	local commit=$1
	shift
	t exact "$commit" --repo "$lab/history" --target lab --protocol lab "$@" \
		>"$scratch/out" 2>"$scratch/err"
}

label() {
	sql "SELECT label FROM verdicts WHERE job = $1 AND metric = '$2'"
}

last_job() {
	sql 'SELECT max(job) FROM jobs'
}

# The machine is left running by each test; the last one turns it off.
machine_on() {
	t target power lab on >/dev/null 2>"$scratch/err" || fail "the machine does not start"
}
