#!/usr/bin/env bash
# get-nvim.sh [SUITE [FOLDER]]: unpacks a Debian suite's Neovim, with every library it needs, into a folder of its own.
#
# The machine's own packages are neither asked nor changed and no rights are needed: apt works on a private state, and the program is told to use the libraries beside it. The mirror is the one that this machine's apt already uses. The last line printed is the path of the program.
set -euo pipefail

suite=${1:-forky}
folder=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/nodwyn-test/nvim-$suite}
nvim=$folder/usr/bin/nvim

die() { echo "get-nvim: $*" >&2; exit 1; }

if [[ -x $nvim ]] && "$nvim" --version >/dev/null 2>&1; then
	echo "$nvim"
	exit
fi
command -v apt-get >/dev/null || die "there is no apt-get here: install Neovim 0.11 or newer by hand and set NODWYN_NVIM to its path"
. /etc/os-release
mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' | awk -v own="${VERSION_CODENAME:-}" '$1 == own { print $2; exit }')
[[ -n $mirror ]] || die "no apt source offers the suite \"${VERSION_CODENAME:-}\" of this machine: add one, or set NODWYN_NVIM"

work=$(mktemp -d)
trap 'rm -rf "$work" "$folder.part"' EXIT

# private SUITE COMMAND...: apt-get over one suite. With an empty list of installed packages it resolves the whole closure, the C library included.
private() {
	local state=$work/$1
	mkdir -p "$state"/{lists/partial,cache/archives/partial}
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$state/sources.list"
	shift
	# A testing suite's release file may be past its date on a mirror that is a snapshot; its signature is still checked.
	apt-get -qq \
		-o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State::lists="$state/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache" \
		-o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Acquire::Languages=none \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o Acquire::Check-Valid-Until=false "$@"
}

# patch runs patchelf, fetching this machine's own suite's when there is none: another suite's may need another C library.
patch() {
	local tool
	tool=$(command -v patchelf || echo "$work/patchelf/usr/bin/patchelf")
	if [[ ! -x $tool ]]; then
		private "$VERSION_CODENAME" update
		(cd "$work" && private "$VERSION_CODENAME" download patchelf)
		dpkg -x "$work"/patchelf_*.deb "$work/patchelf"
	fi
	"$tool" "$@"
}

private "$suite" update || die "the mirror does not offer the suite \"$suite\""
private "$suite" install -y --no-install-recommends --download-only neovim
rm -rf "$folder.part"
mkdir -p "$folder.part"
for deb in "$work/$suite"/cache/archives/*.deb; do dpkg -x "$deb" "$folder.part"; done
rm -rf "$folder.part"/usr/share/{doc,man,locale} "$folder.part"/usr/lib/*/gconv
# Moved before it is patched, since the patched program names its libraries by absolute path.
rm -rf "$folder"
mv "$folder.part" "$folder"
libraries=$(dirname "$(find "$folder/usr/lib" -name libc.so.6 | head -n 1)")
loader=$(patch --print-interpreter "$nvim")
# Through ld.so itself it would run unpatched, but then it takes ld.so for its own path and cannot start a second Neovim.
patch --set-interpreter "$(readlink -f "$folder/usr$loader")" --force-rpath --set-rpath "$libraries" "$nvim"
"$nvim" --version >/dev/null || die "the Neovim unpacked in $folder does not run"
echo "$nvim"
