package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// notYet are the keys of the format that this version does not honour, each with what a person would otherwise rely on.
var notYet = []string{
	"context", "plan", "budget", "hooks", "telemetry",
	"worktree.notes",
	"models.*.vision", "models.*.fallback", "control.vision", "control.fallback", "side.vision", "side.fallback",
}

// known are the keys that are honoured, for suggestions.
var known = []string{
	"control", "servers", "models", "guard", "worktree", "index",
	"control.server", "control.model", "control.context", "control.max_output", "control.effort",
	"control.price_input", "control.price_output", "control.price_cached", "control.price_cache_write",
	"side", "side.server", "side.model", "side.context", "side.max_output", "side.effort",
	"side.price_input", "side.price_output", "side.price_cached", "side.price_cache_write",
	"models.*.server", "models.*.model", "models.*.context", "models.*.max_output", "models.*.effort",
	"models.*.price_input", "models.*.price_output", "models.*.price_cached", "models.*.price_cache_write",
	"servers.*.api", "servers.*.url", "servers.*.key_env", "servers.*.credential", "servers.*.ca_file", "servers.*.headers", "servers.*.timeout",
	"guard.read", "guard.write", "guard.exec", "guard.sandbox", "guard.prompt_timeout", "guard.allow", "guard.ask", "guard.deny",
	"guard.allow.op", "guard.allow.path", "guard.allow.prefix", "guard.allow.match", "guard.allow.not_match",
	"guard.paths", "guard.paths.prefix", "guard.paths.write", "guard.hosts", "guard.hosts.prefix", "guard.hosts.host",
	"worktree.root", "worktree.branch", "worktree.carry_uncommitted", "worktree.copy_ignored", "worktree.spare", "worktree.quota",
	"worktree.setup", "worktree.setup.run", "worktree.setup.timeout", "index.max_file", "index.max_files", "index.exclude",
}

// firstKey picks the unknown key that stands first in the file.
func firstKey(text string, keys []toml.Key) toml.Key {
	return slices.MinFunc(keys, func(a, b toml.Key) int { return keyLine(text, a) - keyLine(text, b) })
}

// keyLine finds the line that sets a key; 0 when it cannot tell.
func keyLine(text string, key toml.Key) int {
	table := ""
	want := key.String()
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			table = strings.TrimSpace(strings.TrimRight(strings.TrimLeft(name, "["), "] "))
			if table == want {
				return i + 1
			}
			continue
		}
		name, _, isKey := strings.Cut(line, "=")
		if !isKey {
			continue
		}
		full := strings.TrimPrefix(table+"."+strings.TrimSpace(name), ".")
		if full == want || strings.HasPrefix(want, full+".") {
			return i + 1
		}
	}
	return 0
}

// whyUnknown says whether a key is one of the format that is not honoured yet, or suggests the nearest one that is.
func whyUnknown(key toml.Key) string {
	for n := range key {
		if slices.Contains(notYet, pattern(key[:n+1])) {
			return "this version does not honour it yet; remove it, so that nobody relies on it"
		}
	}
	if near := nearest(pattern(key)); near != "" {
		return fmt.Sprintf("unknown key; did you mean %q?", near)
	}
	return "unknown key"
}

// pattern writes the names of servers and models as "*".
func pattern(key toml.Key) string {
	parts := slices.Clone([]string(key))
	if len(parts) > 1 && (parts[0] == "servers" || parts[0] == "models") {
		parts[1] = "*"
	}
	return strings.Join(parts, ".")
}

// nearest finds the known key that needs the fewest changes, if they are few.
func nearest(key string) string {
	best, least := "", 4
	for _, k := range known {
		if d := distance(key, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of single-character edits between two keys (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
