package guard

import (
	"fmt"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// SecretFile is the path of a file of credentials, which its owner alone may read, in a folder that is its owner's alone. It is ours, not the session's, so no policy is asked. A file or folder that others can reach, that another user owns, or that is a link is refused, never repaired: what was in it may be known.
type SecretFile string

// Read returns the content, or nothing when there is no file yet. Its errors hold none of the content.
func (f SecretFile) Read() ([]byte, error) {
	content, err := effect.ReadSecret(string(f))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", string(f), err)
	}
	return content, nil
}

// Update replaces the content by what change makes of it, durably and as a whole, and makes the folder when there is none. Processes that do so at the same time take turns.
func (f SecretFile) Update(change func(old []byte) ([]byte, error)) error {
	if err := effect.UpdateSecret(string(f), change); err != nil {
		return fmt.Errorf("update %q: %w", string(f), err)
	}
	return nil
}
