package cred

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// list is the file of what is registered. A keychain cannot be asked for its classes.
type list struct {
	file guard.SecretFile
}

// form is the file's content.
type form struct {
	Credentials map[string]kept `json:"credentials"`
}

// kept tells where the value of a class is. One of the two is always set.
type kept struct {
	// Keychain says that the keychain holds a value, which is out of date when Value is set.
	Keychain bool `json:"keychain,omitzero"`
	// Value is the value that the keychain did not take; empty means that it did.
	Value string `json:"value,omitzero"`
}

var (
	// errForm is said instead of the decoder's words, which quote what they stumble over, and that may be a value.
	errForm   = errors.New("it is not a list of credentials: repair it, or remove it and register them again")
	errNoFile = errors.New("no file for credentials is configured")
)

func (l list) read(ctx context.Context) (map[string]kept, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l.file == "" {
		return nil, errNoFile
	}
	content, err := l.file.Read()
	if err != nil {
		return nil, err
	}
	all, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", string(l.file), err)
	}
	return all, nil
}

// update lets change alter what is registered while no other process does. It heeds no context: by then the keychain may have acted, and the list must say so.
func (l list) update(change func(all map[string]kept)) error {
	return l.file.Update(func(old []byte) ([]byte, error) {
		all, err := decode(old)
		if err != nil {
			return nil, err
		}
		change(all)
		return encode(all)
	})
}

func decode(content []byte) (map[string]kept, error) {
	f := form{Credentials: make(map[string]kept)}
	if len(content) == 0 {
		return f.Credentials, nil
	}
	if err := json.Unmarshal(content, &f, json.RejectUnknownMembers(true)); err != nil || f.Credentials == nil {
		return nil, errForm
	}
	for class, k := range f.Credentials {
		if checkClass(class) != nil || k == (kept{}) {
			return nil, errForm
		}
	}
	return f.Credentials, nil
}

func encode(all map[string]kept) ([]byte, error) {
	b, err := json.Marshal(form{Credentials: all}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, errForm
	}
	return append(b, '\n'), nil
}
