//go:build unix

package effect

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// proxied is a proxy that lets example.com through, which is a server of this test, and what it was asked.
type proxied struct {
	*Proxy
	server *httptest.Server
	path   string
	mu     sync.Mutex
	asked  []string
	// refused are the connections that were not made though they were decided well, looked the names that were looked up.
	refused, looked []string
}

func newProxied(t *testing.T) *proxied {
	t.Helper()
	p := &proxied{path: filepath.Join(t.TempDir(), "p")}
	p.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s got %s", r.Host, body)
	}))
	t.Cleanup(p.server.Close)
	var err error
	rules := ProxyRules{Refused: func(host string, port int, why string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refused = append(p.refused, host+": "+why)
	}}
	rules.Decide = func(_ context.Context, host string, port int) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, fmt.Sprintf("%s:%d", host, port))
		if host == "denied.example.com" {
			return errors.New("the configuration does not name it")
		}
		return nil
	}
	p.Proxy, err = NewProxy(p.path, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	p.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		p.mu.Lock()
		p.looked = append(p.looked, host)
		p.mu.Unlock()
		if host == "private.example.com" {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("10.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	p.public = func(a netip.Addr) bool { return a.IsLoopback() || isPublic(a) }
	return p
}

func (p *proxied) port() string {
	_, port, _ := net.SplitHostPort(p.server.Listener.Addr().String())
	return port
}

// connect says something to the proxy and returns the connection and the first line of its answer.
func (p *proxied) connect(t *testing.T, text string) (net.Conn, string) {
	t.Helper()
	conn, err := net.Dial("unix", p.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	line, _ := in.ReadString('\n')
	if strings.Contains(line, "200") {
		_, _ = in.ReadString('\n')
	}
	return conn, strings.TrimSpace(line)
}

func (p *proxied) trust(name string) *tls.Config {
	return &tls.Config{ServerName: name, RootCAs: p.server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
}

func TestProxyConnects(t *testing.T) {
	p := newProxied(t)
	conn, line := p.connect(t, "CONNECT Example.COM:"+p.port()+" HTTP/1.1\r\nHost: x\r\n\r\n")
	if line != "HTTP/1.1 200 Connection established" {
		t.Fatalf("got %q", line)
	}
	secure := tls.Client(conn, p.trust("example.com"))
	const big = 1 << 20
	req, err := http.NewRequest(http.MethodPost, "https://example.com/", strings.NewReader(strings.Repeat("x", big)))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	if err := req.Write(secure); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(secure)
	if err != nil || !strings.Contains(string(answer), "example.com got ") || strings.Count(string(answer), "x") < big {
		t.Errorf("got %d bytes and %v", len(answer), err)
	}
	if want := "example.com:" + p.port(); len(p.asked) != 1 || p.asked[0] != want {
		t.Errorf("was asked %q, want %q", p.asked, want)
	}
}

func TestProxyRefuses(t *testing.T) {
	p := newProxied(t)
	for _, c := range []struct{ name, text, want string }{
		{"another method", "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n", "405"},
		{"no request", "\x16\x03\x01\r\n\r\n", "400"},
		{"a host that is not allowed", "CONNECT denied.example.com:443 HTTP/1.1\r\n\r\n", "403"},
		{"an address", "CONNECT 93.184.215.14:443 HTTP/1.1\r\n\r\n", "403"},
		{"an address of one number", "CONNECT 2130706433:443 HTTP/1.1\r\n\r\n", "403"},
		{"an address in brackets", "CONNECT [::1]:443 HTTP/1.1\r\n\r\n", "400"},
		{"a dot behind", "CONNECT example.com.:443 HTTP/1.1\r\n\r\n", "400"},
		{"a dot in front", "CONNECT .example.com:443 HTTP/1.1\r\n\r\n", "400"},
		{"NUL in the name", "CONNECT example.com\x00.evil:443 HTTP/1.1\r\n\r\n", "400"},
		{"letters of another alphabet", "CONNECT ex\u0430mple.com:443 HTTP/1.1\r\n\r\n", "400"},
		{"a user in front", "CONNECT a@example.com:443 HTTP/1.1\r\n\r\n", "400"},
		{"an underscore", "CONNECT a_b.example.com:443 HTTP/1.1\r\n\r\n", "400"},
		{"no port", "CONNECT example.com HTTP/1.1\r\n\r\n", "400"},
		{"a port too large", "CONNECT example.com:65536 HTTP/1.1\r\n\r\n", "400"},
		{"a port with a sign", "CONNECT example.com:+443 HTTP/1.1\r\n\r\n", "400"},
		{"a port with a zero", "CONNECT example.com:0443 HTTP/1.1\r\n\r\n", "400"},
		{"a name of a private address beside a public one", "CONNECT private.example.com:443 HTTP/1.1\r\n\r\n", "403"},
		{"a head without an end", "CONNECT example.com:443 HTTP/1.1\r\nX: " + strings.Repeat("x", maxHead) + "\r\n\r\n", "400"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, line := p.connect(t, c.text)
			if !strings.HasPrefix(line, "HTTP/1.1 "+c.want+" ") {
				t.Errorf("got %q, want %s", line, c.want)
			}
		})
	}
}

// TestProxyHoldsTheName: what is said in the connection is what was decided about.
func TestProxyHoldsTheName(t *testing.T) {
	for _, name := range []string{"evil.example.org", "", "example.com.evil.org"} {
		p := newProxied(t)
		conn, _ := p.connect(t, "CONNECT example.com:"+p.port()+" HTTP/1.1\r\n\r\n")
		config := p.trust(name)
		config.InsecureSkipVerify = true
		if err := tls.Client(conn, config).Handshake(); err == nil {
			t.Errorf("the name %q came through", name)
		}
	}
	p := newProxied(t)
	conn, _ := p.connect(t, "CONNECT example.com:"+p.port()+" HTTP/1.1\r\n\r\n")
	_, _ = io.WriteString(conn, "SSH-2.0-x\r\nGET / HTTP/1.1\r\n\r\n")
	if rest, _ := io.ReadAll(conn); len(rest) > 0 {
		t.Errorf("what is no TLS came through, and %q back", rest)
	}
}

// TestProxyDecidesFirst: a name that may not be reached is not looked up either, and what is refused behind a decision is told.
func TestProxyDecidesFirst(t *testing.T) {
	p := newProxied(t)
	p.connect(t, "CONNECT denied.example.com:443 HTTP/1.1\r\n\r\n")
	if len(p.looked) > 0 || len(p.refused) > 0 {
		t.Errorf("looked up %q and told of %q", p.looked, p.refused)
	}
	p.connect(t, "CONNECT private.example.com:443 HTTP/1.1\r\n\r\n")
	if want := "private.example.com: private.example.com stands for 10.0.0.1, which is no address of the public network"; len(p.refused) != 1 || p.refused[0] != want {
		t.Errorf("told of %q, want %q", p.refused, want)
	}
	p.public = isPublic // some resolvers take a name for an address
	if _, line := p.connect(t, "CONNECT 0x7f000001:443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(line, "HTTP/1.1 403 ") {
		t.Errorf("got %q", line)
	}
}

// TestProxyTakesSoManyCallers: those beyond the bound wait for one to go, and then are served.
func TestProxyTakesSoManyCallers(t *testing.T) {
	p := newProxied(t)
	var silent []net.Conn
	for range maxOpen + 1 { // one more is held by the loop that accepts
		conn, err := net.Dial("unix", p.path)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, conn)
	}
	answered := make(chan string)
	go func() {
		_, line := p.connect(t, "CONNECT denied.example.com:443 HTTP/1.1\r\n\r\n")
		answered <- line
	}()
	for _, conn := range silent {
		_ = conn.Close()
	}
	if line := <-answered; !strings.HasPrefix(line, "HTTP/1.1 403 ") {
		t.Errorf("got %q", line)
	}
}

func TestProxyEndsWithItsConnections(t *testing.T) {
	p := newProxied(t)
	conn, _ := p.connect(t, "CONNECT example.com:"+p.port()+" HTTP/1.1\r\n\r\n")
	secure := tls.Client(conn, p.trust("example.com"))
	if err := secure.Handshake(); err != nil {
		t.Fatal(err)
	}
	silent, err := net.Dial("unix", p.path)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := secure.Read(make([]byte, 1)); err == nil {
		t.Error("a connection outlived the proxy")
	}
	if _, err := net.Dial("unix", p.path); err == nil {
		t.Error("the proxy still listens")
	}
}

func TestIsPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false,
		"198.18.0.1": false, "::1": false, "::": false, "fe80::1": false, "fd00:ec2::254": false, "ff02::1": false, "::ffff:10.0.0.1": false, "::ffff:127.0.0.1": false, "64:ff9b::a00:1": false, "2002:7f00:1::": false, "::a00:1": false, "::ffff:0:a00:1": false, "168.63.129.16": false, "192.88.99.1": false, "3fff::1": false, "5f00::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: got public %v, want %v", text, got, want)
		}
	}
}
