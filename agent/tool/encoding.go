package tool

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is how the bytes of a text file stand for its letters. What decode read, encode gives back byte for byte, so a file that is edited keeps its encoding wherever it was not touched.
type encoding uint8

const (
	utf8Plain encoding = iota
	utf8Marked
	utf16Little
	utf16Big
	windows1252
)

// The byte order marks, which the text of a file does not hold.
const (
	mark8      = "\xEF\xBB\xBF"
	markLittle = "\xFF\xFE"
	markBig    = "\xFE\xFF"
)

// sniffBytes is how far a NUL byte is looked for before a file counts as text, the same as git looks.
const sniffBytes = 8 << 10

func (e encoding) String() string {
	switch e {
	case utf8Marked:
		return "UTF-8 with a byte order mark"
	case utf16Little:
		return "UTF-16 (little endian)"
	case utf16Big:
		return "UTF-16 (big endian)"
	case windows1252:
		return "Windows-1252"
	}
	return "UTF-8"
}

// decode returns the text of a file, and false for a binary file.
func decode(content []byte) (string, encoding, bool) {
	text, enc, ok := decodeMarked(string(content))
	if !ok || strings.IndexByte(text[:min(len(text), sniffBytes)], 0) >= 0 {
		return "", enc, false
	}
	return text, enc, true
}

func decodeMarked(content string) (string, encoding, bool) {
	if rest, ok := strings.CutPrefix(content, mark8); ok {
		return rest, utf8Marked, true
	}
	if rest, ok := strings.CutPrefix(content, markLittle); ok {
		return decodeUTF16(rest, utf16Little, binary.LittleEndian)
	}
	if rest, ok := strings.CutPrefix(content, markBig); ok {
		return decodeUTF16(rest, utf16Big, binary.BigEndian)
	}
	if mostlyUTF8(content) {
		return content, utf8Plain, true
	}
	return decode1252(content), windows1252, true
}

// decodeUTF16 refuses what it could not give back: half a code unit, or half a pair.
func decodeUTF16(content string, enc encoding, order binary.ByteOrder) (string, encoding, bool) {
	if len(content)%2 != 0 {
		return "", enc, false
	}
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16([]byte(content[2*i : 2*i+2]))
	}
	text := string(utf16.Decode(units))
	again, err := enc.encode(text)
	return text, enc, err == nil && string(again[2:]) == content
}

// mostlyUTF8 tells UTF-8 with a few broken bytes, which stay as they are, from one of the old one-byte encodings, in which hardly two bytes in a row happen to be UTF-8.
func mostlyUTF8(content string) bool {
	letters, broken := 0, 0
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRuneInString(content[i:])
		if r == utf8.RuneError && size == 1 {
			broken++
		}
		if size > 1 {
			letters++
		}
		i += size
	}
	return broken == 0 || letters > broken
}

// high1252 holds the letters of the bytes 0x80 to 0x9F. The five bytes that mean nothing stand for themselves, as browsers read them.
const high1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

func decode1252(content string) string {
	high := []rune(high1252)
	var text strings.Builder
	for _, b := range []byte(content) {
		r := rune(b)
		if 0x80 <= b && b <= 0x9F {
			r = high[b-0x80]
		}
		text.WriteRune(r)
	}
	return text.String()
}

// encode returns the bytes of a file that holds text, or an error that names a letter which the encoding does not have.
func (e encoding) encode(text string) ([]byte, error) {
	switch e {
	case utf8Marked:
		return []byte(mark8 + text), nil
	case utf16Little:
		return encodeUTF16(markLittle, text, binary.LittleEndian), nil
	case utf16Big:
		return encodeUTF16(markBig, text, binary.BigEndian), nil
	case windows1252:
		return encode1252(text)
	}
	return []byte(text), nil
}

func encodeUTF16(mark, text string, order binary.AppendByteOrder) []byte {
	out := []byte(mark)
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

func encode1252(text string) ([]byte, error) {
	high := []rune(high1252)
	var out bytes.Buffer
	for _, r := range text {
		b, ok := byte1252(r, high)
		if !ok {
			return nil, fmt.Errorf("the file is in %s, which has no %q", windows1252, r)
		}
		out.WriteByte(b)
	}
	return out.Bytes(), nil
}

func byte1252(r rune, high []rune) (byte, bool) {
	if r < 0x80 || 0xA0 <= r && r <= 0xFF {
		return byte(r), true
	}
	for i, h := range high {
		if h == r {
			return byte(0x80 + i), true
		}
	}
	return 0, false
}
