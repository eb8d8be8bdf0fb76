//go:build linux && !amd64 && !arm64

package sandbox

// arch is 0: there is no filter for this processor.
const arch = 0

// modeCalls is empty likewise.
var modeCalls [0]modeCall
