package main

import (
	"testing"
	"time"
)

func TestOnDisk(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 999 << 10: "999 KiB", 1023 << 10: "1023 KiB", 1<<20 - 1: "1024 KiB", 20 << 30: "20 GiB", 5 << 40: "5 TiB",
	} {
		if got := onDisk(n); got != want {
			t.Errorf("onDisk(%d): got %q, want %q", n, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 minute old", 90 * time.Minute: "1 hour old", 48 * time.Hour: "2 days old",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%v): got %q, want %q", d, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{"/a/b-c_d.e": "/a/b-c_d.e", "": "''", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$HOME": "'/$HOME'"} {
		if got := shellWord(path); got != want {
			t.Errorf("shellWord(%q): got %q, want %q", path, got, want)
		}
	}
}
