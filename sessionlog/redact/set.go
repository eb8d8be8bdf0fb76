package redact

// set is a set of bytes.
type set [4]uint64

// The alphabets that tokens are written in.
var (
	digits    = newSet("09")
	hexDigits = newSet("09af")
	upper     = newSet("09AZ")
	alnum     = newSet("09azAZ")
	wordBytes = newSet("09azAZ__--")
	dotted    = newSet("09azAZ__--..")
	base64Set = newSet("09azAZ//++==")
	tokenSet  = newSet("09azAZ//++==..__~~--")
	nameBytes = newSet("09azAZ..__@@//--")
)

// anyByte is every byte, once.
var anyByte = func() string {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

// newSet makes a set of ranges: each pair of bytes is the first and the last of one.
func newSet(ranges string) set {
	var c set
	for i := 0; i < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			c[b>>6] |= 1 << (b & 63)
		}
	}
	return c
}

func (c *set) has(b byte) bool { return c[b>>6]&(1<<(b&63)) != 0 }

func (c *set) add(b byte) { c[b>>6] |= 1 << (b & 63) }

// union adds the bytes of d.
func (c *set) union(d set) {
	for i := range c {
		c[i] |= d[i]
	}
}

// with returns the set and the bytes of s.
func with(c set, s string) set {
	for i := range len(s) {
		c.add(s[i])
	}
	return c
}

// without returns the set of all bytes that are not in s.
func without(s string) set {
	c := newSet("\x00\xff")
	for i := range len(s) {
		c[s[i]>>6] &^= 1 << (s[i] & 63)
	}
	return c
}
