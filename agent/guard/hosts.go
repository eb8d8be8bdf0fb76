package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// HostRule says which host commands that begin with Prefix reach. A command with such a rule reaches these hosts and no others, each connection on record.
type HostRule struct {
	// Prefix are the leading words of the programs that are meant.
	Prefix []string
	// Host is a name, or "*." and a name for all below it, with a port behind a colon; without one it is 443.
	Host string
}

// defaultPort is that of TLS on the web.
const defaultPort = 443

func (r HostRule) validate() error {
	if len(r.Prefix) == 0 || slices.Contains(r.Prefix, "") {
		return fmt.Errorf("prefix %q has no or an empty word", r.Prefix)
	}
	name, _, err := r.target()
	if err != nil {
		return err
	}
	if name == "" || strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '.' && (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}) || strings.Contains(name, "..") || name[0] == '.' || name[len(name)-1] == '.' || !strings.Contains(name, ".") || !strings.ContainsFunc(name[strings.LastIndexByte(name, '.'):], func(c rune) bool { return c >= 'a' && c <= 'z' }) {
		return fmt.Errorf("host %q is no name such as registry.example.org, with *. in front for all below it", r.Host)
	}
	return nil
}

// target is the name of the rule, in lower case and without "*.", and its port.
func (r HostRule) target() (name string, port int, err error) {
	name, number, given := strings.Cut(strings.ToLower(r.Host), ":")
	port = defaultPort
	if given {
		if port, err = strconv.Atoi(number); err != nil || port < 1 || port > 65535 || number != strconv.Itoa(port) {
			return "", 0, fmt.Errorf("host %q has no port behind its colon", r.Host)
		}
	}
	return strings.TrimPrefix(name, "*."), port, nil
}

// covers reports whether the rule is about a host, by whole labels.
func (r HostRule) covers(host string, port int) bool {
	name, ours, err := r.target()
	if err != nil || port != ours {
		return false
	}
	if strings.HasPrefix(r.Host, "*.") {
		return strings.HasSuffix(host, "."+name)
	}
	return host == name
}

// hostsFor are the rules for the programs of a command.
func (g *Guard) hostsFor(r *reading) []HostRule {
	var list []HostRule
	for _, rule := range g.cfg.Policy.Hosts {
		if slices.ContainsFunc(r.parts, func(p plainPart) bool { return hasPrefix(p.argv, rule.Prefix) }) {
			list = append(list, rule)
		}
	}
	return list
}

// errNoProxy says that hosts are named for a command and nothing holds it to them.
var errNoProxy = errors.New("[guard] hosts names the hosts that it may reach, and only a sandbox with bwrap holds it to them; \"nodwyn doctor\" says what is missing")

// openProxy opens what connects one command to the hosts of its rules. Each connection is on record before it is made, and so is one that is refused.
func (g *Guard) openProxy(rules []HostRule) (proxy *effect.Proxy, socket string, err error) {
	if !g.cfg.Sandbox.hides() || g.cfg.StateDir == "" {
		return nil, "", errNoProxy
	}
	socket = filepath.Join(g.cfg.StateDir, "proxy-"+rand.Text()[:10])
	refused := func(host string, port int, why string) {
		_ = g.record(event.EgressCheck{Host: fmt.Sprintf("%s:%d", host, port), Purpose: "command", Reason: why}) // it is not made, on record or not
	}
	decide := func(_ context.Context, host string, port int) error {
		check := event.EgressCheck{Host: fmt.Sprintf("%s:%d", host, port), Purpose: "command", Reason: "no rule of [guard] hosts names it"}
		if slices.ContainsFunc(rules, func(r HostRule) bool { return r.covers(host, port) }) {
			check.Allowed, check.Reason = true, ruleConfigured
		}
		if err := g.record(check); err != nil {
			return err
		}
		if !check.Allowed {
			return fmt.Errorf("%s is not reached: %s", check.Host, check.Reason)
		}
		return nil
	}
	proxy, err = effect.NewProxy(socket, effect.ProxyRules{Decide: decide, Refused: refused})
	return proxy, socket, err
}
