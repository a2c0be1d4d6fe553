# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Words for people, shared by tools/check and tools/demo: what happens now, how long it should
# take, how long it took. Sourced; sets nothing but functions and `top`.

# The top of the tree, whatever folder the caller stands in.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

say() {
	printf '%s\n' "$*" >&2
}

die() {
	say "${0##*/}: $*"
	exit 1
}

# seconds -> "1 min 05 s"
duration() {
	if (($1 < 60)); then
		printf '%d s' "$1"
	else
		printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
	fi
}

# run_step LABEL ESTIMATE COMMAND...: say what starts, run it, say how it ended. Returns its status.
run_step() {
	local label=$1 estimate=$2 status=0 start=$SECONDS
	shift 2
	say "==> $label (about $estimate)"
	"$@" || status=$?
	if ((status == 0)); then
		say "    done in $(duration $((SECONDS - start)))"
	else
		say "    FAILED after $(duration $((SECONDS - start)))"
	fi
	return "$status"
}

# quietly LOG COMMAND...: output goes to LOG; its end is shown only when the command fails.
quietly() {
	local log=$1 status=0
	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if ((status != 0)); then
		tail -n 40 "$log" >&2
		say "    the whole of it: $log"
	fi
	return "$status"
}

# configure DIR OPTION...: `meson setup`, or the same options on a folder that is set up already.
# A folder that meson cannot use any more (another meson, a broken set-up) is made anew.
configure() {
	local dir=$1
	shift
	if [[ -f $dir/build.ninja ]] &&
		quietly "$dir.configure.log" meson setup --reconfigure "$dir" "$top" "$@" 2>/dev/null; then
		return 0
	fi
	rm -rf -- "$dir"
	quietly "$dir.configure.log" meson setup "$dir" "$top" "$@"
}
