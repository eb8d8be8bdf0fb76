package sessionlog

import (
	"os"
	"strings"
	"testing"
)

// The two benchmarks write records of about 1 KB from one goroutine; their ratio is what a durable append costs over the disk.

func BenchmarkAppend(b *testing.B) {
	w, err := Create(b.TempDir(), session, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	record := note(strings.Repeat("x", 900))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Append(record); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRawFdatasync(b *testing.B) {
	f, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	record := []byte(strings.Repeat("x", 1023) + "\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Write(record); err != nil {
			b.Fatal(err)
		}
		if err := syncData(f); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendShared shows what appenders that share syncs gain.
func BenchmarkAppendShared(b *testing.B) {
	w, err := Create(b.TempDir(), session, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	record := note(strings.Repeat("x", 900))
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := w.Append(record); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
