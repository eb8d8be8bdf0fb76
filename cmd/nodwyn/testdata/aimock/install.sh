#!/usr/bin/env bash
# Installs the pinned aimock for TestAimock into the cache folder, and prints that folder.
# Running it again costs nothing: the folder holds a copy of the lock file once it is complete.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/nodwyn-test/aimock

command -v npm >/dev/null || { echo "install aimock: npm is missing: install Node 20.15 or newer and run this again" >&2; exit 1; }
if ! cmp -s "$here/package-lock.json" "$folder/ready"; then
	rm -rf "$folder"
	mkdir -p "$folder"
	cp "$here"/package.json "$here"/package-lock.json "$folder"
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
	cp "$here/package-lock.json" "$folder/ready"
fi
echo "$folder"
