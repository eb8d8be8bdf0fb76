package guard

import "testing"

func TestHostRule(t *testing.T) {
	for _, c := range []struct {
		rule, host string
		port       int
		want       bool
	}{
		{"registry.example.org", "registry.example.org", 443, true},
		{"Registry.Example.org:8443", "registry.example.org", 8443, true},
		{"registry.example.org", "registry.example.org", 8443, false},
		{"registry.example.org", "evil-registry.example.org", 443, false},
		{"registry.example.org", "registry.example.org.evil.org", 443, false},
		{"registry.example.org", "a.registry.example.org", 443, false},
		{"*.example.org", "a.example.org", 443, true},
		{"*.example.org", "a.b.example.org", 443, true},
		{"*.example.org", "example.org", 443, false},
		{"*.example.org", "evilexample.org", 443, false},
	} {
		r := HostRule{Prefix: []string{"npm"}, Host: c.rule}
		check(t, r.validate(), nil)
		if got := r.covers(c.host, c.port); got != c.want {
			t.Errorf("%q and %s:%d: got %v, want %v", c.rule, c.host, c.port, got, c.want)
		}
	}
}

func TestRulesOfPlacesThatCannotStand(t *testing.T) {
	npm := []string{"npm"}
	for _, c := range []struct {
		name   string
		policy Policy
		want   string
	}{
		{"no prefix", Policy{Hosts: []HostRule{{Host: "a.example.org"}}}, `guard hosts rule 1: prefix [] has no or an empty word`},
		{"any host", Policy{Hosts: []HostRule{{Prefix: npm, Host: "*"}}}, `guard hosts rule 1: host "*" is no name such as registry.example.org, with *. in front for all below it`},
		{"a star inside", Policy{Hosts: []HostRule{{Prefix: npm, Host: "a.*.org"}}}, `guard hosts rule 1: host "a.*.org" is no name such as registry.example.org, with *. in front for all below it`},
		{"an address of the web", Policy{Hosts: []HostRule{{Prefix: npm, Host: "https://example.org"}}}, `guard hosts rule 1: host "https://example.org" has no port behind its colon`},
		{"numbers alone", Policy{Hosts: []HostRule{{Prefix: npm, Host: "1.2.3.4"}}}, `guard hosts rule 1: host "1.2.3.4" is no name such as registry.example.org, with *. in front for all below it`},
		{"a port with a zero", Policy{Hosts: []HostRule{{Prefix: npm, Host: "a.example.org:0443"}}}, `guard hosts rule 1: host "a.example.org:0443" has no port behind its colon`},
		{"a relative folder", Policy{Paths: []PathRule{{Prefix: npm, Write: []string{"cache"}}}}, `guard paths rule 1: write "cache" is neither absolute nor below ~/`},
		{"the whole home", Policy{Paths: []PathRule{{Prefix: npm, Write: []string{"~/."}}}}, `guard paths rule 1: write "~/." is neither absolute nor below ~/`},
		{"a way out of the home", Policy{Paths: []PathRule{{Prefix: npm, Write: []string{"~/../x"}}}}, `guard paths rule 1: write "~/../x" is neither absolute nor below ~/`},
		{"the whole machine", Policy{Paths: []PathRule{{Prefix: npm, Write: []string{"/"}}}}, `guard paths rule 1: write "/" is the whole machine`},
		{"no folder", Policy{Paths: []PathRule{{Prefix: npm}}}, `guard paths rule 1: paths for "npm": write names no folder`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.policy.Validate()
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
