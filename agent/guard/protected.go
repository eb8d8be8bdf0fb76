package guard

import (
	"slices"
	"strings"
	"unicode"
)

// actedOn are names that editors, shells, agents and build tools obey, in the form that fold gives them. A name that ends in a slash is a folder, one with "*" in front or at the end matches a part.
var actedOn = [...]string{
	".vscode/", ".idea/", ".nodwyn/", ".claude/", ".cursor/", ".codex/", ".devcontainer/",
	"*.code-workspace", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".envrc", ".mcp.json",
	"agents.md", "claude.md", "gemini.md", ".cursorrules", ".windsurfrules", "copilot-instructions.md",
	".npmrc", ".yarnrc*", ".pre-commit-config.yaml",
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", "config.fish",
}

// isProtected reports whether a path is one that other programs act on, whether or not it exists and however its case is written.
func isProtected(path string) bool {
	parts := foldAll(path)
	for i, part := range parts {
		last := i == len(parts)-1
		if slices.ContainsFunc(actedOn[:], func(p string) bool { return matchesName(p, part, last) }) {
			return true
		}
		if i > 0 && parts[i-1] == ".github" && part == "workflows" {
			return true
		}
	}
	return false
}

// matchesName holds one component against one pattern. The name of a protected folder is protected as a file, too: a link or a file in its place has the same effect.
func matchesName(pattern, part string, last bool) bool {
	if folder, ok := strings.CutSuffix(pattern, "/"); ok {
		return part == folder
	}
	if !last {
		return false
	}
	if end, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(part, end)
	}
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(part, start)
	}
	return part == pattern
}

// insideGit reports whether a path is a .git or lies in one, at any depth. "git~1" is the short name that Windows gives it.
func insideGit(path string) bool {
	return slices.ContainsFunc(foldAll(path), func(part string) bool { return part == ".git" || part == "git~1" })
}

func foldAll(path string) []string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = fold(part)
	}
	return parts
}

// fold brings a name to one form for all names that some file system takes for the same: without case, without the characters that HFS+ ignores, and without the stream names, dots and spaces that Windows drops from the end.
func fold(name string) string {
	if stem, _, found := strings.Cut(name, ":"); found && stem != "" {
		name = stem
	}
	name = strings.Map(foldRune, name)
	if stem := strings.TrimRight(name, " ."); stem != "" {
		return stem
	}
	return name
}

// foldRune returns the lower-case ASCII letter that r is a variant of, such as k for the Kelvin sign, or else r's own lower case.
func foldRune(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		if 'a' <= v && v <= 'z' {
			return v
		}
	}
	return unicode.ToLower(r)
}
