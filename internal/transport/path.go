// Package transport is what stands between clients and servers: links of a chosen
// speed, Redis servers, and load at a fixed rate. It measures no codec.
package transport

import (
	"fmt"

	"wirecost/internal/bench"
)

// Mode is how a link is made slow.
type Mode string

// The modes (docs/links.md).
const (
	ModeRelay Mode = "relay" // a relay of TCP streams in this process; needs nothing
	ModeTUN   Mode = "tun"   // packets between two network namespaces; Linux, root
)

// Path is a way to a server through a link.
type Path interface {
	// Address is where clients find the server: host and port.
	Address() string
	// Prefix are the words that a client's command must begin with to find
	// Address; none where any process does.
	Prefix() []string
	// Close ends all connections and removes what was set up. Clients should
	// have ended before.
	Close() error
}

// Check says why a mode cannot be used here; nil if it can.
func (m Mode) Check() error {
	switch m {
	case ModeRelay:
		return nil
	case ModeTUN:
		return checkTUN()
	}
	return fmt.Errorf("the link mode %q is not known; use %s or %s", m, ModeRelay, ModeTUN)
}

// Open leads to the server at target, host and port, over a link.
func Open(mode Mode, target string, link bench.Link) (Path, error) {
	if err := mode.Check(); err != nil {
		return nil, err
	}
	if mode == ModeTUN {
		return openTUN(target, link)
	}
	r, err := NewRelay(target, link)
	if err != nil {
		return nil, err // not a nil *Relay in a Path
	}
	return r, nil
}
