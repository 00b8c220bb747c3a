//go:build !linux

package main

import (
	"errors"
	"io"
	"time"
)

type reading struct {
	address          string
	streams          int
	period           time.Duration
	warmup, duration time.Duration
}

func (reading) run(io.Writer) error {
	return errors.New("streams are read with epoll, which only Linux has")
}
