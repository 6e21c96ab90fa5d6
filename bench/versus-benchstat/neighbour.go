package main

import (
	"io"
	"os"
	"os/exec"
	"time"
)

// spin is a busy neighbour: it computes until its standard input ends.
func spin() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for x := uint64(1); x != 0; {
		x = x*6364136223846793005 + 1442695040888963407
	}
}

// neighbours are spinning processes.
type neighbours struct {
	commands []*exec.Cmd
	inputs   []io.Closer
}

// start starts so many neighbours.
func (n *neighbours) start(executable string, count int) error {
	for range count {
		c := exec.Command(executable)
		c.Env = append(os.Environ(), roleVariable+"=spin")
		in, err := c.StdinPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			n.stop()
			return err
		}
		n.commands, n.inputs = append(n.commands, c), append(n.inputs, in)
	}
	return nil
}

// stop ends them.
func (n *neighbours) stop() {
	for i, c := range n.commands {
		n.inputs[i].Close()
		_ = c.Wait() // it has nothing to say
	}
	n.commands, n.inputs = nil, nil
}

// company gives a trial the neighbours that it is to have; the returned function
// sends them away.
func (l *lab) company(j job) (leave func() error, err error) {
	var n neighbours
	if !j.arriving {
		if j.busy {
			err = n.start(l.executable, l.spin)
		}
		return func() error { n.stop(); return nil }, err
	}
	arrived := make(chan error, 1)
	cancel := make(chan struct{})
	go func() {
		select {
		case <-time.After(seconds(change)):
			arrived <- n.start(l.executable, l.spin)
		case <-cancel:
			arrived <- nil
		}
	}()
	return func() error {
		close(cancel)
		err := <-arrived
		n.stop()
		return err
	}, nil
}
