package tool

import (
	"bytes"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		text    string
		enc     encoding
		ok      bool
	}{
		"empty":                    {"", "", utf8Plain, true},
		"ascii":                    {"a\r\nb", "a\r\nb", utf8Plain, true},
		"utf-8":                    {"grün", "grün", utf8Plain, true},
		"utf-8 with a mark":        {"\xEF\xBB\xBFa", "a", utf8Marked, true},
		"utf-8, a broken byte":     {"grün röt \xff", "grün röt \xff", utf8Plain, true},
		"windows-1252":             {"caf\xe9 \x80", "café €", windows1252, true},
		"windows-1252, unused":     {"\x81", "\u0081", windows1252, true},
		"more broken than letters": {"\xc3\xa9\xff\xff", "Ã©ÿÿ", windows1252, true},
		"utf-16 little endian":     {"\xFF\xFEa\x00\xe9\x00", "aé", utf16Little, true},
		"utf-16 big endian":        {"\xFE\xFF\x00a\xD8\x3D\xDE\x00", "a😀", utf16Big, true},
		"utf-16, odd length":       {"\xFF\xFEa\x00b", "", utf16Little, false},
		"utf-16, half a pair":      {"\xFF\xFE\x3D\xD8", "", utf16Little, false},
		"nul":                      {"a\x00b", "", utf8Plain, false},
		"nul far behind":           {strings.Repeat("a", sniffBytes) + "\x00", strings.Repeat("a", sniffBytes) + "\x00", utf8Plain, true},
		"utf-16 without a mark":    {"a\x00b\x00", "", utf8Plain, false},
		"image with a high byte":   {"\x89PNG\r\n\x1a\n\x00\x00", "", windows1252, false},
	} {
		t.Run(name, func(t *testing.T) {
			text, enc, ok := decode([]byte(c.content))
			if text != c.text || enc != c.enc || ok != c.ok {
				t.Errorf("got %q, %v, %v, want %q, %v, %v", text, enc, ok, c.text, c.enc, c.ok)
			}
		})
	}
}

func TestEncodeNamesALetterThatTheFileCannotHold(t *testing.T) {
	_, err := windows1252.encode("snow ☃")
	if want := `the file is in Windows-1252, which has no '☃'`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// FuzzDecode holds decode and encode to giving every text file back byte for byte.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "a\r\n", "caf\xe9", "\xEF\xBB\xBFx", "\xFF\xFEa\x00", "\xFE\xFF\xD8\x3D\xDE\x00", "grün \xff", "\xFF\xFE\x00\xDC"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, enc, ok := decode(content)
		if !ok {
			return
		}
		again, err := enc.encode(text)
		if err != nil || !bytes.Equal(again, content) {
			t.Errorf("%q in %v came back as %q, %v", content, enc, again, err)
		}
	})
}
