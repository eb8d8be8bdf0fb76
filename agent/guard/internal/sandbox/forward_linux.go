package sandbox

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// startForward starts this program once more, to forward what connects to a port of the command's own network to the socket, and returns the port. It ends with the processes of the box. The socket is reached from there and not by the command, which speaks to it as to any proxy.
func startForward(self []string, socket string) (port int, err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open socket: %w", err)
	}
	listener := os.NewFile(uintptr(fd), "proxy")
	defer listener.Close()
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, fmt.Errorf("bind to loopback: %w", err)
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return 0, fmt.Errorf("listen on loopback: %w", err)
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		return 0, fmt.Errorf("find port: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("open the null device: %w", err)
	}
	defer null.Close() // the child holds nothing of the command's, or its output would never end
	argv := append(append([]string(nil), self...), forwardWord, socket)
	child, err := os.StartProcess(program, argv, &os.ProcAttr{Dir: "/", Env: []string{}, Files: []*os.File{null, null, null, listener}})
	if err != nil {
		return 0, fmt.Errorf("start forwarding: %w", err)
	}
	return address.(*unix.SockaddrInet4).Port, child.Release()
}

// proxyVariables are those that programs look at, in both of the ways they are written.
func proxyVariables(port int) []string {
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	var list []string
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		list = append(list, name+"="+address)
	}
	return append(list, "NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1")
}

// listenerPlace is the descriptor that startForward hands over.
const listenerPlace = 3

// forward connects each caller to the socket, until it is ended.
func forward(socket string) int {
	for {
		caller, _, err := unix.Accept4(listenerPlace, unix.SOCK_CLOEXEC)
		if err == unix.EINTR || err == unix.ECONNABORTED {
			continue
		}
		if err != nil {
			return 1
		}
		go connect(caller, socket) // ends with its caller or with this process, which has nothing to clean up
	}
}

// connect joins a caller with the socket until both have said all.
func connect(caller int, socket string) {
	from := os.NewFile(uintptr(caller), "caller")
	defer from.Close()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	to := os.NewFile(uintptr(fd), "proxy")
	defer to.Close()
	if unix.Connect(fd, &unix.SockaddrUnix{Name: socket}) != nil {
		return
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		pass(from, to)
	}()
	pass(to, from)
	<-back
}

// pass copies to the end and says so to the other side.
func pass(to, from *os.File) {
	_, _ = io.Copy(to, from)
	shutdown(from, unix.SHUT_RD) // whoever still speaks learns that nobody listens; the answer goes on
	shutdown(to, unix.SHUT_WR)
}

func shutdown(f *os.File, how int) {
	c, err := f.SyscallConn()
	if err == nil {
		_ = c.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), how) })
	}
}
