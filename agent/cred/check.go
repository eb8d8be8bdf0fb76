package cred

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxClass is how long the name of a class may be.
const maxClass = 64

// The sizes of a value that the redactor can hide. One that it cannot would end up in a log.
const (
	minValue = 8
	maxValue = 8 << 10
)

func checkClass(class string) error {
	foreign := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	}
	if class == "" || len(class) > maxClass || strings.ContainsFunc(class, foreign) {
		return fmt.Errorf("a class is 1 to %d of a-z, 0-9 and -", maxClass)
	}
	return nil
}

// checkValue refuses what no header could carry, and the white space that comes along when a key is pasted: every request would be refused without a word about it.
func checkValue(value string) error {
	if len(value) < minValue || len(value) > maxValue {
		return fmt.Errorf("the value has %d bytes, and %d to %d can be kept out of the log", len(value), minValue, maxValue)
	}
	if strings.TrimSpace(value) != value {
		return errors.New("the value begins or ends with white space: leave that out")
	}
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return errors.New("the value holds a control character, a line break or invalid UTF-8: copy it again")
	}
	return nil
}
