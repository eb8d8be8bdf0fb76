//go:build dragonfly || freebsd || linux || netbsd || openbsd

package cred

import (
	"fmt"

	"github.com/godbus/dbus/v5"
)

// reachable finds out whether the desktop's message bus runs. Without one the keychain's library would start a bus of its own, which nobody ends.
func reachable() error {
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return fmt.Errorf("find a desktop session: %w", err)
	}
	return conn.Close()
}
