//go:build !linux

package transport

import (
	"errors"

	"wirecost/internal/bench"
)

func checkTUN() error {
	return errors.New("a link of packets needs Linux; use --link-mode relay")
}

func openTUN(string, bench.Link) (Path, error) { return nil, checkTUN() }
