package main

import (
	"io"
	"os"
	"os/exec"
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
