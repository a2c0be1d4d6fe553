# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # triptych and top are set by those who source this
# A pretended machine and a toy history, for tests that run the real program without a target.
# Sourced after `triptych` (the program) and `top` (the source tree) are set.

export TRIPTYCH_DATA=$top CCACHE_DISABLE=1
unset TRIPTYCH_STATE TRIPTYCH_KILL_AT TRIPTYCH_KILL_LOG

# make_world DIR: DIR/repo, DIR/seed, DIR/protocol.yaml
make_world() {
	mkdir -p "$1"
	bash "$top/tests/data/make-toy-kernel" "$1/repo" --bare >/dev/null
	printf 'CONFIG_SMP=y\nCONFIG_HZ=100\n' >"$1/seed"
	cat >"$1/protocol.yaml" <<-'END'
		name: toy
		workload: {agent: inotify-watch, workers: 1, items: 96}
		warmup: 1
		rounds: 6
		metrics:
		  - {name: p1_distinct_ns_per_watch, better: lower}
		  - {name: path_lookup_ns_per_call, better: lower, role: control}
	END
}

# make_machine DIR STATE: a fresh pretended machine in STATE/machine, added as target `toy`
make_machine() {
	mkdir -p "$2/machine"
	cat >"$2/toy.yaml" <<-END
		name: toy
		evidence: fake
		transport: {kind: fake, dir: $2/machine}
		kernel: {seed: $1/seed, jobs: 2}
	END
	"$triptych" --state "$2" target add "$2/toy.yaml" >/dev/null
}

# exact DIR STATE COMMIT [OPTION...]: the command under test
exact() {
	local dir=$1 state=$2 commit=$3
	shift 3
	"$triptych" --state "$state" --quiet exact "$commit" --repo "$dir/repo" --target toy \
		--protocol "$dir/protocol.yaml" --infra-backoff-ms 0 "$@"
}

# What must be the same however often a job was killed: labels and numbers, without times.
answer() {
	sqlite3 "$1/triptych.db" 'SELECT metric, label, parent_a, child, parent_b,
		parent_drift_pct FROM verdicts ORDER BY metric'
}

# Boots that are complete: never lost, never twice for one point.
complete() {
	sqlite3 "$1/triptych.db" "SELECT group_concat(boot) FROM boots WHERE state = 'complete'" \
		2>/dev/null || true
}
