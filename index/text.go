package index

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// sniffBytes is how far a NUL byte is looked for before a file counts as text.
const sniffBytes = 8 << 10

// searchable turns the bytes of a file into the text that is searched: UTF-8 without a byte order mark, lines ended by LF alone so that $ stands before CRLF too. It reports false for a binary file. Bytes that are not UTF-8 stay as they are.
func searchable(content []byte) ([]byte, bool) {
	text := decode(content)
	if bytes.IndexByte(text[:min(len(text), sniffBytes)], 0) >= 0 {
		return nil, false
	}
	if bytes.Contains(text, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text, true
}

// decode follows a byte order mark. UTF-16 without one is left alone: its NUL bytes make it binary, as they do for git.
func decode(content []byte) []byte {
	if rest, ok := bytes.CutPrefix(content, []byte("\xEF\xBB\xBF")); ok {
		return rest
	}
	if rest, ok := bytes.CutPrefix(content, []byte("\xFF\xFE")); ok {
		return decodeUTF16(rest, binary.LittleEndian)
	}
	if rest, ok := bytes.CutPrefix(content, []byte("\xFE\xFF")); ok {
		return decodeUTF16(rest, binary.BigEndian)
	}
	return content
}

func decodeUTF16(content []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
