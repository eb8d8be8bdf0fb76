package effect

// output keeps the beginning and the end of what is written to it, in memory that does not grow with the rest.
type output struct {
	head, tail []byte // tail is a ring, once it is full
	maxHead    int
	maxTail    int
	next       int // where the ring's oldest byte is
	cut        int64
}

// Write never fails and never waits, so that a command is not held up by what it prints.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	if room := o.maxHead - len(o.head); room > 0 {
		room = min(room, len(p))
		o.head = append(o.head, p[:room]...)
		p = p[room:]
	}
	if over := len(p) - o.maxTail; over > 0 {
		o.cut += int64(over)
		p = p[over:]
	}
	if room := o.maxTail - len(o.tail); room > 0 {
		room = min(room, len(p))
		o.tail = append(o.tail, p[:room]...)
		p = p[room:]
	}
	o.cut += int64(len(p))
	for len(p) > 0 {
		k := copy(o.tail[o.next:], p)
		o.next = (o.next + k) % len(o.tail)
		p = p[k:]
	}
	return n, nil
}

// fill puts what was kept into r.
func (o *output) fill(r *Result) {
	r.Head = o.head
	r.Tail = append(append([]byte(nil), o.tail[o.next:]...), o.tail[:o.next]...)
	r.Cut = o.cut
}
