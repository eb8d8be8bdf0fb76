package sandbox

// Restrictions are what a process does to itself before it runs a command.
type Restrictions struct {
	// Filter refuses system calls that no build needs and that reach outside.
	Filter bool `json:"filter,omitzero"`
	// NoSockets refuses sockets of the file system, too, which Landlock does not know: agents listen on them.
	NoSockets bool `json:"no_sockets,omitzero"`
	// NoNetwork refuses all other sockets as well.
	NoNetwork bool `json:"no_network,omitzero"`
	// NoShared refuses memory and queues that processes share by a number.
	NoShared bool `json:"no_shared,omitzero"`
	// Landlock is the version to use; 0 for none.
	Landlock int `json:"landlock,omitzero"`
	// Read are the folders and files that may be read; empty means all.
	Read []string `json:"read,omitempty"`
	// Names lets the names of all files be listed, not only of those that may be read.
	Names bool `json:"names,omitzero"`
	// Proxy is the socket of a proxy that the command reaches by an address of its own network; empty for none.
	Proxy string `json:"proxy,omitzero"`
	// Temp is where the command keeps temporary files; empty leaves that to its variables.
	Temp string `json:"temp,omitzero"`
	// Env are variables that the command gets beside those that are there.
	Env []string `json:"env,omitempty"`
	// Write are those that may be changed.
	Write []string `json:"write,omitempty"`
}

// scopesVersion is the version of Landlock from which it keeps signals in, and sockets without a file.
const scopesVersion = 6
