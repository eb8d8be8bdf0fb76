package guard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSecretFileSaysWhichFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cred", "list")
	f := SecretFile(name)
	got, err := f.Read()
	check(t, err, nil)
	check(t, len(got), 0)
	check(t, f.Update(func([]byte) ([]byte, error) { return []byte("content"), nil }), nil)
	got, err = f.Read()
	check(t, err, nil)
	check(t, string(got), "content")

	cause := errors.New("no reason")
	err = f.Update(func(old []byte) ([]byte, error) { return old, cause })
	check(t, err.Error(), `update "`+name+`": no reason`)
	check(t, errors.Is(err, cause), true)
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = f.Read()
	check(t, err.Error(), `read "`+name+`": it is open to others (-rw-r--r--): replace the credentials in it, for they may be known, and make it yours alone (chmod 600)`)
}
