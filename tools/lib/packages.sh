# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian packages that the tools need, and how to get the missing ones. Sourced after common.sh.
# shellcheck disable=SC2034 # the lists are for those who source this

packages_build=(
	gcc libc6-dev pkg-config meson ninja-build
	libgit2-dev libcurl4-openssl-dev libssh2-1-dev libsqlite3-dev libcyaml-dev libyaml-dev
	libjansson-dev libsystemd-dev libsmartcols-dev libzstd-dev libssl-dev
	git scdoc python3
)
packages_test=(
	libcmocka-dev clang-format shellcheck sqlite3 jq binutils
)
# What builds kernels, and the virtual machine that boots them.
packages_lab=(
	make bc bison flex libelf-dev libssl-dev ccache cpio tar zstd xz-utils linux-source-6.12
	qemu-system-x86 ovmf grub-efi-amd64-bin grub-common mtools dosfstools
	busybox-static dropbear-bin openssh-client openssh-server openssh-sftp-server
)

# Those of the arguments that are not installed, one a line.
packages_missing() {
	local package
	for package; do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
			printf '%s\n' "$package"
	done
}

# As root, or through sudo, which was asked for its password beforehand.
as_root() {
	if ((EUID == 0)); then
		"$@"
	else
		sudo -n -- "$@"
	fi
}

# May this user install packages? On a terminal sudo may ask for the password, once.
may_install() {
	((EUID == 0)) && return 0
	command -v sudo >/dev/null 2>&1 || return 1
	sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }
}

apt_quiet() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 \
		-o Acquire::Retries=2 -o DPkg::Lock::Timeout=300 "$@"
}

# packages_need LOG PACKAGE...: install what is missing; says what it does, does nothing otherwise.
packages_need() {
	local log=$1 missing
	shift
	if ! command -v dpkg-query >/dev/null 2>&1; then
		say "This is no Debian system, so nothing is installed; meson will name what lacks."
		return 0
	fi
	mapfile -t missing < <(packages_missing "$@")
	((${#missing[@]} == 0)) && return 0
	may_install ||
		die "these packages are missing, and without root or sudo they cannot be installed:" \
			"${missing[*]}"
	run_step "installing ${#missing[@]} packages with apt: ${missing[*]}" "2 min" \
		packages_install "$log" "${missing[@]}" ||
		die "apt could not install them (no network, no permission, or a stale mirror?);" \
			"to do it by hand: apt-get install ${missing[*]}"
}

packages_install() {
	local log=$1
	shift
	quietly "$log" apt_quiet update &&
		quietly "$log" apt_quiet install --no-install-recommends -y "$@"
}
