package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Caches makes a folder for the caches of build tools and adds it to what a command may change. It returns the variables that send the tools there: the person's own caches are read, never written, since what lies there later runs with their rights.
func Caches(l *Layout, folder, home string, env []string) ([]string, error) {
	if folder == "" {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	l.Writable = append(l.Writable, folder)
	modules := goModules(home, env)
	l.Visible = append(l.Visible, modules)
	in := func(name string) string { return filepath.Join(folder, name) }
	vars := []string{
		"XDG_CACHE_HOME=" + in("xdg"), "GOCACHE=" + in("go-build"), "GOMODCACHE=" + in("go-mod"), "npm_config_cache=" + in("npm"), "npm_config_store_dir=" + in("pnpm"),
		"YARN_CACHE_FOLDER=" + in("yarn"), "YARN_GLOBAL_FOLDER=" + in("yarn-global"), "PIP_CACHE_DIR=" + in("pip"), "UV_CACHE_DIR=" + in("uv"), "GRADLE_USER_HOME=" + in("gradle"),
		"MAVEN_ARGS=-Dmaven.repo.local=" + in("maven"), "GOFLAGS=" + value(env, "GOFLAGS"),
	}
	if proxy := value(env, "GOPROXY"); modules != "" && proxy != "off" {
		if proxy == "" {
			proxy = "https://proxy.golang.org,direct"
		}
		vars = append(vars, "GOPROXY=file://"+filepath.ToSlash(filepath.Join(modules, "cache", "download"))+","+proxy)
	}
	downloads := filepath.Join(home, ".npm", "_cacache")
	if own := value(env, "npm_config_cache"); own != "" {
		downloads = filepath.Join(own, "_cacache")
	}
	if err := sow(in("npm"), map[string]seed{"_cacache/content-v2": {from: filepath.Join(downloads, "content-v2")}, "_cacache/index-v5": {from: filepath.Join(downloads, "index-v5"), copy: true}}); err != nil {
		return nil, err
	}
	cargo, err := cargoHome(in("cargo"), home, env)
	return append(vars, cargo...), err
}

// goModules is where the person's own Go modules lie; empty when they have none.
func goModules(home string, env []string) string {
	dir := value(env, "GOMODCACHE")
	if dir == "" {
		first, _, _ := strings.Cut(value(env, "GOPATH"), string(filepath.ListSeparator))
		if first == "" {
			first = filepath.Join(home, "go")
		}
		dir = filepath.Join(first, "pkg", "mod")
	}
	if _, err := os.Stat(filepath.Join(dir, "cache", "download")); err != nil {
		return ""
	}
	return dir
}

// cargoHome gives cargo a home of its own, which begins with the person's downloads: cargo never changes one that is whole.
func cargoHome(dir, home string, env []string) ([]string, error) {
	own := value(env, "CARGO_HOME")
	if own == "" {
		own = filepath.Join(home, ".cargo")
	}
	if _, err := os.Stat(own); err != nil {
		return nil, nil
	}
	vars := []string{"CARGO_HOME=" + dir}
	if rustup := filepath.Join(home, ".rustup"); value(env, "RUSTUP_HOME") == "" {
		vars = append(vars, "RUSTUP_HOME="+rustup)
	}
	registry := filepath.Join(own, "registry")
	if err := sow(dir, map[string]seed{"registry/cache": {from: filepath.Join(registry, "cache")}, "registry/index": {from: filepath.Join(registry, "index"), copy: true}}); err != nil {
		return nil, err
	}
	err := os.Symlink(filepath.Join(own, "config.toml"), filepath.Join(dir, "config.toml"))
	if errors.Is(err, os.ErrExist) {
		err = nil
	}
	return vars, err
}

func value(env []string, key string) string {
	for _, kv := range env {
		if name, v, _ := strings.Cut(kv, "="); name == key {
			return v
		}
	}
	return ""
}

// Temp makes a folder for temporary files in another one.
func Temp(in string) (string, error) {
	if err := os.MkdirAll(in, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(in, "tmp-")
}

// DropTemp removes what Temp made.
func DropTemp(dir string) error { return os.RemoveAll(dir) }
