package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
)

// file is config.toml as it stands. Keys that are part of the format but not honoured yet are not in it: refusing them is safer than ignoring a budget.
type file struct {
	Control  *modelSection            `toml:"control"`
	Side     *modelSection            `toml:"side"`
	Servers  map[string]serverSection `toml:"servers"`
	Models   map[string]modelSection  `toml:"models"`
	Guard    guardSection             `toml:"guard"`
	Worktree worktreeSection          `toml:"worktree"`
	Index    indexSection             `toml:"index"`
}

type modelSection struct {
	Server          string   `toml:"server"`
	Model           string   `toml:"model"`
	Context         int      `toml:"context"`
	MaxOutput       int      `toml:"max_output"`
	Effort          string   `toml:"effort"`
	PriceInput      *float64 `toml:"price_input"`
	PriceOutput     *float64 `toml:"price_output"`
	PriceCached     *float64 `toml:"price_cached"`
	PriceCacheWrite *float64 `toml:"price_cache_write"`
}

type serverSection struct {
	API        string            `toml:"api"`
	URL        string            `toml:"url"`
	KeyEnv     string            `toml:"key_env"`
	Credential string            `toml:"credential"`
	CAFile     string            `toml:"ca_file"`
	Headers    map[string]string `toml:"headers"`
	Timeout    span              `toml:"timeout"`
}

type guardSection struct {
	Read          string        `toml:"read"`
	Write         string        `toml:"write"`
	Exec          string        `toml:"exec"`
	Sandbox       string        `toml:"sandbox"`
	PromptTimeout span          `toml:"prompt_timeout"`
	Allow         []ruleSection `toml:"allow"`
	Ask           []ruleSection `toml:"ask"`
	Deny          []ruleSection `toml:"deny"`
	Paths         []pathSection `toml:"paths"`
	Hosts         []hostSection `toml:"hosts"`
}

type hostSection struct {
	Prefix []string `toml:"prefix"`
	Host   string   `toml:"host"`
}

type pathSection struct {
	Prefix []string `toml:"prefix"`
	Write  []string `toml:"write"`
}

type ruleSection struct {
	Op       string   `toml:"op"`
	Path     string   `toml:"path"`
	Prefix   []string `toml:"prefix"`
	Match    []string `toml:"match"`
	NotMatch []string `toml:"not_match"`
}

type indexSection struct {
	MaxFile  size     `toml:"max_file"`
	MaxFiles int      `toml:"max_files"`
	Exclude  []string `toml:"exclude"`
}

// loadFile reads a configuration file strictly. A file that does not exist is an empty one.
func loadFile(path string) (file, string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, "", nil
	}
	if err != nil {
		return file{}, "", fmt.Errorf("read configuration %s: %w", path, err)
	}
	f, err := decodeFile(path, string(content))
	return f, string(content), err
}

// decodeFile reads the text of a configuration file strictly.
func decodeFile(path, text string) (file, error) {
	var f file
	meta, err := toml.Decode(text, &f)
	if err != nil {
		return file{}, decodeError(path, err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		key := firstKey(text, extra)
		return file{}, &agent.ConfigError{File: path, Line: keyLine(text, key), Key: key.String(), Reason: whyUnknown(key)}
	}
	return f, nil
}

// decodeError keeps the line that the decoder found.
func decodeError(path string, err error) error {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return &agent.ConfigError{File: path, Line: parse.Position.Line, Key: parse.LastKey, Reason: parse.Message}
	}
	// What has the wrong type is said in words only.
	said := regexp.MustCompile(`(?s)^toml: line (\d+) \(last key "([^"]*)"\): (.*)$`).FindStringSubmatch(err.Error())
	if said == nil {
		return &agent.ConfigError{File: path, Reason: err.Error()}
	}
	line, _ := strconv.Atoi(said[1]) // all digits; one that is too large for a line names none
	reason := regexp.MustCompile(`^incompatible types: TOML value has type (\w+); destination has type (\w+)$`).ReplaceAllString(said[3], "the value has the type $1; it must be of the type $2")
	reason = strings.NewReplacer("type slice", "type list", "type map", "type table").Replace(reason)
	return &agent.ConfigError{File: path, Line: line, Key: said[2], Reason: reason}
}

// span is a duration such as "10m".
type span time.Duration

// UnmarshalText reads the duration.
func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a positive duration such as \"10m\"", text)
	}
	*s = span(d)
	return nil
}

// size is a number of bytes such as "1MiB".
type size int64

// UnmarshalText reads the size.
func (s *size) UnmarshalText(text []byte) error {
	units := []struct {
		suffix string
		factor int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(string(text), u.suffix)
		if !ok {
			continue
		}
		var n int64
		if _, err := fmt.Sscanf(strings.TrimSpace(number)+"\n", "%d\n", &n); err != nil || n <= 0 || n > math.MaxInt64/u.factor {
			break
		}
		*s = size(n * u.factor)
		return nil
	}
	return fmt.Errorf("%q is not a size such as \"1MiB\"", text)
}

// rules joins the three lists. Their order says nothing: the guard lets a denial win over a question and a question over an allowance.
func (g guardSection) rules() []guard.Rule {
	var rules []guard.Rule
	for _, list := range []struct {
		effect guard.Verdict
		rules  []ruleSection
	}{{guard.Deny, g.Deny}, {guard.Ask, g.Ask}, {guard.Allow, g.Allow}} {
		for _, r := range list.rules {
			rules = append(rules, guard.Rule{Effect: list.effect, Op: guard.Op(r.Op), Path: r.Path, Prefix: r.Prefix, Match: r.Match, NotMatch: r.NotMatch})
		}
	}
	return rules
}

func (g guardSection) policy() guard.Policy {
	p := guard.Policy{Read: g.Read, Write: g.Write, Exec: g.Exec, PromptTimeout: time.Duration(g.PromptTimeout), Rules: g.rules()}
	for _, s := range g.Paths {
		p.Paths = append(p.Paths, guard.PathRule(s))
	}
	for _, s := range g.Hosts {
		p.Hosts = append(p.Hosts, guard.HostRule(s))
	}
	return p
}

func (s indexSection) options() index.Options {
	return index.Options{MaxFile: int64(s.MaxFile), MaxFiles: s.MaxFiles, Exclude: s.Exclude}
}
