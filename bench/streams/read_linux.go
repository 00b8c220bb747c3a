package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"syscall"
	"time"
)

// reading is a load of streams that are read and not measured: one thread that waits with epoll and reads. It is the least
// that a client on this machine can spend per chunk.
type reading struct {
	address          string
	streams          int
	period           time.Duration // over which the streams begin
	warmup, duration time.Duration
}

// cost is what the reading took after the warm-up.
type cost struct {
	Chunks int     `json:"chunks"`
	CPUUS  float64 `json:"cpu_us"`
}

const streamBody = `{"model":"bench","stream":true,"messages":[{"role":"user","content":"Why is the sky blue?"}],"max_tokens":150}`

// run keeps the streams open and writes the cost.
func (r reading) run(out io.Writer) error {
	runtime.LockOSThread()
	poll, err := syscall.EpollCreate1(0)
	if err != nil {
		return fmt.Errorf("cannot wait for streams: %w", err)
	}
	request := fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", r.address, len(streamBody), streamBody)
	var (
		events   [256]syscall.EpollEvent
		buffer   [64 << 10]byte
		begun    = time.Now()
		measured = false
		before   time.Duration
		total    cost
	)
	for opened := 0; ; {
		elapsed := time.Since(begun)
		for ; opened < r.streams && elapsed >= r.period*time.Duration(opened)/time.Duration(r.streams); opened++ {
			if err := open(r.address, poll, request); err != nil {
				return err
			}
		}
		if !measured && elapsed >= r.warmup {
			measured, before, total.Chunks = true, processorTime(), 0
		}
		if elapsed >= r.warmup+r.duration {
			total.CPUUS = float64((processorTime() - before).Microseconds())
			return json.NewEncoder(out).Encode(total)
		}
		ready, err := syscall.EpollWait(poll, events[:], 1)
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("cannot wait for streams: %w", err)
		}
		for _, event := range events[:max(0, ready)] {
			n, err := syscall.Read(int(event.Fd), buffer[:])
			if err != nil || n == 0 {
				return fmt.Errorf("a stream ended early: %d bytes, %w", n, err)
			}
			total.Chunks += bytes.Count(buffer[:n], []byte(`"content":`))
			if bytes.HasSuffix(buffer[:n], []byte(streamEnd)) {
				if _, err := syscall.Write(int(event.Fd), request); err != nil {
					return fmt.Errorf("cannot begin a stream: %w", err)
				}
			}
		}
	}
}

// open connects, sends the request and adds the socket to those that are read.
func open(address string, poll int, request []byte) error {
	to, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	peer := &syscall.SockaddrInet4{Port: to.Port}
	copy(peer.Addr[:], to.IP.To4())
	if err := syscall.Connect(socket, peer); err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	if _, err := syscall.Write(socket, request); err != nil {
		return fmt.Errorf("cannot begin a stream: %w", err)
	}
	return syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, socket, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(socket)})
}

// processorTime is what the process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // fails for other processes only
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
