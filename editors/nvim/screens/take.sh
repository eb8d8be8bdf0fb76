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
cp -r "$demo/repo" "$HOME/greet"
cp "$demo/model.txt" "$HOME/.config/nodwyn/"
# What the demo does not show: a change that is asked for, and asked for again since Neovim was closed meanwhile.
louder='call file-edit {"path": "greet.sh", "edits": [{"old": "Hello", "new": "HELLO"}]}'
printf '\n%s\n\n%s\n\nsay It is louder now.\n' "$louder" "$louder" >>"$HOME/.config/nodwyn/model.txt"
printf '[control]\nserver = "rehearsal"\n\n[servers.rehearsal]\napi = "script"\nurl = "model.txt"\n' >"$HOME/.config/nodwyn/config.toml"
printf '[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n' >"$HOME/.gitconfig"
cd "$HOME/greet"
git init -q && git add -A && git commit -q -m 'a greeting'
# The person's own, which no commit has.
echo 'greet in Danish too' >notes.txt

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

# keep NAME: saves the pane. What differs from run to run or from machine to machine is made the same: the session's id, and where the plugin is.
keep() {
	pane capture-pane -p | sed -E "s/[0-9]{8}-[0-9]{6,9}(-[0-9]+)?-[a-z0-9]{10}/20260102-030405678-abcdefghij/g; s|/worktrees/[0-9a-f]{12}/|/worktrees/0123456789ab/|g; s|$plugin|~/nodwyn/editors/nvim|g" >"$here/$1.txt"
}

say() { pane send-keys "$@"; }

# answer KEY: presses it once it answers a prompt.
answer() {
	for _ in $(seq 200); do
		if [[ -n $("$nvim" --server "$work/nvim" --remote-expr "maparg('$1', 'n')") ]]; then say "$1"; return; fi
		sleep 0.05
	done
	echo "take: no prompt takes the key $1" >&2
	exit 1
}

start() {
	pane new-session -d -x 120 -y 32 "$nvim" -n -u NONE -i NONE --listen "$work/nvim" \
		--cmd "set runtimepath^=$plugin noswapfile" --cmd 'filetype plugin on' --cmd 'runtime! plugin/nodwyn.lua' \
		--cmd "let g:nodwyn = {'cmd': ['$nodwyn', 'serve'], 'arm_ms': 100}" greet.sh
	await '#!/bin/sh'
}

start
say ':Nodwyn' Enter
# Coloured by now, since the marks around the tag are hidden.
await ' nodwyn-start'
keep 0-guide
say ':helpclose' Enter
say ':2,3Nodwyn ask' Enter
await 'Ask about greet.sh:2-3'
say 'Greet the world when nobody is named.'
await 'nobody is named.'
await 'takes it along'
keep 1-ask
say Enter
await 'Replace greet.sh?'
keep 2-permission
answer y
await '╭ Run sh check.sh'
keep 3-command
say ':Nodwyn answer allow_once' Enter
await '1 trust'
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
await 'Land it'
keep 7-land
answer y
await 'landed 1 file on main'
say ':Nodwyn trail' Enter
await 'ran sh check.sh'
keep 8-trail
say q
say ':Nodwyn sessions' Enter
await 'Enter opens'
keep 9-sessions
say q
say ':Nodwyn ask And louder.' Enter
await 'Replace greet.sh?'
say ':qall' Enter
while pane has-session 2>/dev/null; do sleep 0.05; done
start
say ':Nodwyn' Enter
await 'was cut off'
keep 10-cut-off
say C
await 'Replace greet.sh?'
say ':Nodwyn answer allow_once' Enter
await 'louder now'
await ' idle'
sed -i 's/Hello/Good day/' greet.sh
git commit -q -a -m 'be polite'
say ':Nodwyn land' Enter
await 'Nothing landed'
keep 11-conflict
