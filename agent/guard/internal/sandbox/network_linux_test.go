package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// call prints GOT-OUT when somebody answers.
func call(network, address string) int {
	c, err := net.DialTimeout(network, address, time.Second)
	if err == nil {
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Second))
		if _, err = c.Write([]byte("x")); err == nil {
			_, err = c.Read(make([]byte, 1))
		}
	}
	if err != nil {
		fmt.Println("refused:", err)
		return 1
	}
	fmt.Println("GOT-OUT")
	return 0
}

// answering listens at an address and answers until the test ends.
func answering(t *testing.T, network, address string) string {
	t.Helper()
	if strings.HasPrefix(network, "udp") {
		c, err := net.ListenPacket(network, address)
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		go func() { // ends with the listener
			for b := make([]byte, 1); ; {
				_, from, err := c.ReadFrom(b)
				if err != nil {
					return
				}
				_, _ = c.WriteTo(b, from)
			}
		}()
		return c.LocalAddr().String()
	}
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1))
			_, _ = c.Write([]byte("x"))
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

func TestNoNetwork(t *testing.T) {
	boxes(t, func(t *testing.T, y *yard, b Box) {
		calls := []string{"tcp4!169.254.169.254:80", "udp4!169.254.169.254:53"}
		for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "udp4": "127.0.0.1:0", "udp6": "[::1]:0", "unix": "@nodwyn-call-" + filepath.Base(y.dir)} {
			if network == "unix" && b.Backend == Kernel {
				continue // never, see the escapes
			}
			calls = append(calls, network+"!"+answering(t, network, address))
		}
		for _, c := range calls {
			y.layout.Network = false
			if out, _ := y.run(t, b, "$SELF try "+c); !strings.Contains(out, "refused") {
				t.Errorf("%s without a network: got %s", c, out)
			}
			if strings.Contains(c, "169.254") || strings.Contains(c, "@") {
				continue // nobody is called there in earnest, and the second is no network
			}
			y.layout.Network = true
			if out, _ := y.run(t, b, "$SELF try "+c); out != "GOT-OUT\n" {
				t.Errorf("%s with a network: got %s", c, out)
			}
		}
	})
}

// TestProxyIsTheOnlyWay reaches what listens on a socket of the file system by an address of the network, and nothing else.
func TestProxyIsTheOnlyWay(t *testing.T) {
	boxes(t, func(t *testing.T, y *yard, b Box) {
		y.layout.Proxy = filepath.Join(y.dir, "proxy")
		answering(t, "unix", y.layout.Proxy)
		must(t, os.Chmod(y.layout.Proxy, 0o777))
		elsewhere := answering(t, "tcp4", "127.0.0.1:0")
		out, _ := y.run(t, b, "$SELF try tcp4!${HTTPS_PROXY#http://}; $SELF try tcp4!${HTTPS_PROXY#http://}; [ $http_proxy = $HTTPS_PROXY ] && echo same; $SELF try tcp4!"+elsewhere)
		if b.Backend == Kernel {
			if strings.Contains(out, "GOT-OUT") {
				t.Errorf("got %s", out)
			}
			return
		}
		if want := "GOT-OUT\nGOT-OUT\nsame\nrefused:"; !strings.HasPrefix(out, want) || strings.Count(out, "GOT-OUT") != 2 {
			t.Errorf("got %s, want %s", out, want)
		}
	})
}
