#!/usr/bin/env bash
# take.sh NVIM NODWYN: takes the screens beside it anew, in a tmux of its own with a throw-away home, from the demo's repository and model.
#
# Each screen is waited for by what it must show, so a screen that never comes is an error and not an old picture.
set -euo pipefail
nvim=$1 nodwyn=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
plugin=$(dirname "$here")
demo=$plugin/../../cmd/nodwyn/demo

work=$(mktemp -d)
trap 'tmux -L "nodwyn-$$" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work/home TERM=xterm-256color
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
mkdir -p "$HOME/.config/nodwyn"
cp -r "$demo/repo" "$work/greet"
cp "$demo/model.txt" "$HOME/.config/nodwyn/"
printf '[control]\nserver = "rehearsal"\n\n[servers.rehearsal]\napi = "script"\nurl = "model.txt"\n' >"$HOME/.config/nodwyn/config.toml"
printf '[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n' >"$HOME/.gitconfig"
cd "$work/greet"
git init -q && git add -A && git commit -q -m 'a greeting'

pane() { tmux -L "nodwyn-$$" "$@"; }

# await TEXT: waits until the pane shows the text.
await() {
	for _ in $(seq 200); do
		if pane capture-pane -p | grep -qF -- "$1"; then return; fi
		sleep 0.05
	done
	echo "take: the screen never shows: $1" >&2
	pane capture-pane -p >&2
	exit 1
}

# keep NAME: saves the pane. What differs from run to run is the session's id, which is made the same.
keep() { pane capture-pane -p | sed -E 's/[0-9]{8}-[0-9]{6,9}(-[0-9]+)?-[a-z0-9]{10}/20260102-030405-abcdefghij/g' >"$here/$1.txt"; }

say() { pane send-keys "$@"; }

pane new-session -d -x 120 -y 32 "$nvim" -n -u NONE -i NONE \
	--cmd "set runtimepath^=$plugin noswapfile" --cmd 'filetype plugin on' --cmd 'runtime! plugin/nodwyn.lua' \
	--cmd "let g:nodwyn = {'cmd': ['$nodwyn', 'serve'], 'arm_ms': 100}" greet.sh
await '#!/bin/sh'
say ':2,3Nodwyn ask' Enter
await 'Ask about greet.sh:2-3'
say 'Greet the world when nobody is named.'
await 'nobody is named.'
keep 1-ask
say Enter
await 'Replace greet.sh?'
keep 2-permission
say G
say ':Nodwyn answer allow_once' Enter
await '$ sh check.sh'
keep 3-command
say ':Nodwyn answer allow_once' Enter
await 'name = "check"'
keep 4-trust
say ':Nodwyn answer trust' Enter
await 'check passed'
await ' idle'
keep 5-proof
say ':Nodwyn diff' Enter
await 'diff --git'
keep 6-diff
say q
say ':Nodwyn land' Enter
await 'Land on main'
keep 7-land
await 'Land it'
sleep 0.3
say y
await 'landed 1 file on main'
say ':Nodwyn trail' Enter
await ' Trail '
keep 8-trail
say q
say ':Nodwyn sessions' Enter
await ' Sessions '
keep 9-sessions
