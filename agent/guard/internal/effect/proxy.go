package effect

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// maxHead bounds what a client may say before it is connected, helloTime how long it may take, idle how long nothing may pass.
	maxHead   = 16 << 10
	helloTime = 10 * time.Second
	maxIdle   = 10 * time.Minute
	// maxOpen is how many callers one command may have at a time, of the descriptors that the server has for everything.
	maxOpen = 64
)

// ProxyRules decide about the connections of a proxy.
type ProxyRules struct {
	// Decide returns nil when a connection may be made, after having put it on record. It is asked before a name is looked up.
	Decide func(ctx context.Context, host string, port int) error
	// Refused is told of a connection that was decided well and is not made all the same, for the reason why.
	Refused func(host string, port int, why string)
}

// Proxy connects programs that have no network to the hosts that a decision lets them reach, one by one: it speaks the CONNECT of HTTP on a socket of the file system.
type Proxy struct {
	rules    ProxyRules
	slots    chan struct{} // holds a token for each caller
	lookup   func(ctx context.Context, host string) ([]netip.Addr, error)
	public   func(netip.Addr) bool
	listener net.Listener
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup
}

// NewProxy listens at a path that does not exist yet. Close ends all its connections and waits for them.
func NewProxy(path string, rules ProxyRules) (*Proxy, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open a proxy: %w", err)
	}
	p := &Proxy{rules: rules, slots: make(chan struct{}, maxOpen), listener: listener, public: isPublic, lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}}
	p.life, p.end = context.WithCancel(context.Background())
	p.work.Go(p.accept)
	return p, nil
}

// Close ends the proxy.
func (p *Proxy) Close() error {
	p.end()
	err := p.listener.Close()
	p.work.Wait()
	return err
}

// accept goes on until the proxy is closed: what else keeps it from taking a caller, such as too many open files, passes.
func (p *Proxy) accept() {
	const pause = 50 * time.Millisecond
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.life.Done():
			return
		}
		conn, err := p.listener.Accept()
		if err != nil {
			<-p.slots
			select {
			case <-time.After(pause):
				continue
			case <-p.life.Done():
				return
			}
		}
		p.work.Go(func() {
			defer func() { <-p.slots }()
			defer conn.Close()
			stop := context.AfterFunc(p.life, func() { _ = conn.Close() })
			defer stop()
			p.serve(conn)
		})
	}
}

// refusal is an answer in place of a connection.
type refusal struct {
	code int
	why  string
}

func (r *refusal) Error() string { return r.why }

func (p *Proxy) serve(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(helloTime))
	in := bufio.NewReader(io.LimitReader(conn, maxHead))
	host, port, err := readConnect(in)
	var out net.Conn
	if err == nil {
		out, err = p.dial(host, port)
	}
	if err != nil {
		code := http.StatusBadGateway
		if r, ok := errors.AsType[*refusal](err); ok {
			code = r.code
		}
		text := err.Error() + "\n"
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", code, http.StatusText(code), len(text), text)
		return
	}
	defer out.Close()
	stop := context.AfterFunc(p.life, func() { _ = out.Close() })
	defer stop()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	early, _ := in.Peek(in.Buffered())
	hello, err := greeting(io.MultiReader(bytes.NewReader(early), conn), host)
	if err != nil {
		p.rules.Refused(host, port, err.Error())
		return
	}
	splice(conn, out, hello)
}

// readConnect reads the request for a connection.
func readConnect(in *bufio.Reader) (host string, port int, err error) {
	req, err := http.ReadRequest(in)
	if err != nil {
		return "", 0, &refusal{http.StatusBadRequest, "the request cannot be read"}
	}
	if req.Method != http.MethodConnect {
		return "", 0, &refusal{http.StatusMethodNotAllowed, "only connections for TLS are made: ask for CONNECT"}
	}
	return hostAndPort(req.RequestURI)
}

// hostAndPort takes a target apart. A name has letters, digits, dashes and dots only, so that nothing in it is read in two ways.
func hostAndPort(target string) (host string, port int, err error) {
	bad := &refusal{http.StatusBadRequest, "the target is no name and port"}
	name, number, ok := strings.Cut(target, ":")
	port, err = strconv.Atoi(number)
	if !ok || err != nil || port < 1 || port > 65535 || number != strconv.Itoa(port) {
		return "", 0, bad
	}
	host = strings.ToLower(name)
	if len(host) == 0 || len(host) > 253 {
		return "", 0, bad
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || strings.ContainsFunc(label, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
		}) {
			return "", 0, bad
		}
	}
	if last := host[strings.LastIndexByte(host, '.')+1:]; !strings.ContainsFunc(last, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		return "", 0, &refusal{http.StatusForbidden, "an address is not a name: connections are made to hosts by their names"}
	}
	return host, port, nil
}

// dial decides, looks the name up once, and connects to an address that it has.
func (p *Proxy) dial(host string, port int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(p.life, helloTime)
	defer cancel()
	if err := p.rules.Decide(ctx, host, port); err != nil {
		return nil, &refusal{http.StatusForbidden, err.Error()}
	}
	addresses, err := p.lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	for _, a := range addresses {
		if !p.public(a) {
			r := &refusal{http.StatusForbidden, fmt.Sprintf("%s stands for %s, which is no address of the public network", host, a)}
			p.rules.Refused(host, port, r.why)
			return nil, r
		}
	}
	var d net.Dialer
	for _, a := range addresses {
		var conn net.Conn
		if conn, err = d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, uint16(port)).String()); err == nil {
			return conn, nil
		}
	}
	if err == nil {
		err = errors.New("it has no address")
	}
	return nil, fmt.Errorf("connect to %s: %w", host, err)
}

// notPublic are the ranges that lead to this machine, its network or its provider and that the address itself does not tell.
var notPublic = [...]string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	"::/96", "::ffff:0:0:0/96", "168.63.129.16/32", "192.88.99.0/24", "3fff::/20", "5f00::/16",
}

// isPublic reports whether an address lies in the public network.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, text := range notPublic {
		if netip.MustParsePrefix(text).Contains(a) {
			return false
		}
	}
	return true
}

// errSeen ends the reading of a greeting.
var errSeen = errors.New("seen")

// greeting reads the beginning of a TLS connection, which must name the host that was decided about, and returns it.
func greeting(from io.Reader, host string) ([]byte, error) {
	var taken bytes.Buffer
	name := ""
	quiet := quietConn{Reader: io.TeeReader(io.LimitReader(from, maxHead), &taken)}
	err := tls.Server(quiet, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name = h.ServerName
		return nil, errSeen
	}}).Handshake()
	if !errors.Is(err, errSeen) {
		return nil, errors.New("no TLS connection begins so")
	}
	if !strings.EqualFold(name, host) {
		return nil, fmt.Errorf("the connection names %q, and not %q", name, host)
	}
	return taken.Bytes(), nil
}

// quietConn is a connection that is only read.
type quietConn struct{ io.Reader }

func (quietConn) Write(p []byte) (int, error)      { return len(p), nil }
func (quietConn) Close() error                     { return nil }
func (quietConn) LocalAddr() net.Addr              { return nil }
func (quietConn) RemoteAddr() net.Addr             { return nil }
func (quietConn) SetDeadline(time.Time) error      { return nil }
func (quietConn) SetReadDeadline(time.Time) error  { return nil }
func (quietConn) SetWriteDeadline(time.Time) error { return nil }

// splice passes bytes on in both directions until both have ended or nothing passes in either for long, beginning with what was read already.
func splice(client, server net.Conn, hello []byte) {
	alive := func() {
		until := time.Now().Add(maxIdle)
		_, _ = client.SetDeadline(until), server.SetDeadline(until)
	}
	alive()
	var both sync.WaitGroup
	pass := func(to, from net.Conn, first []byte) {
		_, err := to.Write(first)
		if err == nil {
			_, err = io.Copy(watched{to, alive}, watched{from, alive})
		}
		if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
			_ = half.CloseWrite()
			return
		}
		_, _ = to.Close(), from.Close()
	}
	both.Go(func() { pass(server, client, hello) })
	both.Go(func() { pass(client, server, nil) })
	both.Wait()
}

// watched is a connection that says when something passed.
type watched struct {
	net.Conn
	alive func()
}

func (c watched) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.alive()
	return n, err
}

func (c watched) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.alive()
	return n, err
}
