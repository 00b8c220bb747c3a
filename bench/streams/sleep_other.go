//go:build !linux

package main

import "time"

func rest(d time.Duration) { time.Sleep(d) }
