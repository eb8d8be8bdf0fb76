//go:build !unix

package effect

import (
	"io/fs"
	"os"
)

// openNonblock is nothing here: there are no FIFOs in a folder.
const openNonblock = 0

// linksOf cannot tell here, so a hard link is not noticed.
func linksOf(fs.FileInfo) uint64 { return 1 }

// keepOwner does nothing: a new file inherits its access rules from the folder.
func keepOwner(*os.Root, string, fs.FileInfo) error { return nil }

// syncFolder does nothing: a folder cannot be synced here.
func syncFolder(*os.Root) error { return nil }
