//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"net"
	"testing"
	"time"
)

func TestTheReaderCountsTheChunksOfStreamsThatFollowEachOther(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	p := plan{ttft: time.Millisecond, itl: time.Millisecond, tokens: 5}
	rows := &ledger{}
	go accept(listener, p, &failing{}, newChunkWriters(1), rows)

	var out bytes.Buffer
	r := reading{address: listener.Addr().String(), streams: 3, duration: time.Second}
	if err := r.run(&out); err != nil {
		t.Fatal(err)
	}
	var got cost
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	rows.mu.Lock()
	defer rows.mu.Unlock()
	// What was under way at the end is in no row, and the last rows may come after the end.
	if most := 5 * (len(rows.rows) + 2*r.streams); got.Chunks == 0 || got.Chunks > most {
		t.Errorf("%d chunks counted; the server ended %d streams of 5", got.Chunks, len(rows.rows))
	}
}
