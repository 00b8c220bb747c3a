//go:build !linux

package pacer

func newAlarm() alarm { return newTimerAlarm() }
