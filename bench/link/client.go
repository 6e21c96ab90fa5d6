package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"wirecost/internal/transport"
)

// client starts this program as a client behind a path, and reads nanoseconds by
// name.
func (r run) client(path transport.Path, kind string, arguments ...string) (map[string]float64, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	words := slices.Concat(path.Prefix(), []string{self, "-client", kind, path.Address()}, arguments)
	ctx, cancel := context.WithTimeout(r.ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the client on %s by %s: %w", r.link, r.mode, err)
	}
	ns := map[string]float64{}
	return ns, json.Unmarshal(out.Bytes(), &ns)
}

// beClient measures and prints.
func beClient(kind string, arguments []string) error {
	numbers := make([]float64, max(0, len(arguments)-1))
	for i := range numbers {
		var err error
		if numbers[i], err = strconv.ParseFloat(arguments[i+1], 64); err != nil {
			return err
		}
	}
	var ns map[string]float64
	var err error
	switch {
	case kind == "raw" && len(numbers) == 1:
		ns, err = callRaw(arguments[0], int(numbers[0]))
	case kind == "http" && len(numbers) == 2:
		ns, err = callHTTP(arguments[0], int(numbers[0]), time.Duration(numbers[1]))
	case kind == "fresh" && len(numbers) == 1:
		ns, err = callFresh(arguments[0], int(numbers[0]))
	default:
		err = errors.New("-client is for this program's own use")
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(ns)
}

func median(ns []float64) float64 {
	slices.Sort(ns)
	return ns[len(ns)/2]
}

// callRaw measures the link's round trip and both directions' bandwidth, warm.
func callRaw(address string, second int) (map[string]float64, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	repeat := func(times, up, down int) (ns []float64, err error) {
		for range times {
			start := time.Now()
			if err := exchange(c, up, down); err != nil {
				return nil, err
			}
			ns = append(ns, float64(time.Since(start)))
		}
		return ns, nil
	}
	out := map[string]float64{}
	for _, step := range []struct {
		name            string
		times, up, down int
	}{{"trip", 41, 0, 1}, {"", 2, 0, second / 2}, {"down", 3, 0, second}, {"", 2, second / 2, 1}, {"up", 3, second, 1}} {
		ns, err := repeat(step.times, step.up, step.down)
		if err != nil {
			return nil, err
		}
		out[step.name] = median(ns)
	}
	return out, nil
}

// callHTTP measures GET requests for a body on one connection. First as many
// go by as warm it up.
func callHTTP(address string, size int, expected time.Duration) (map[string]float64, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxConnsPerHost: 1}}
	const budget = 3 * time.Second
	times := min(max(2, int(budget/expected)), 101)
	warm := 1 + times/2
	ns, err := get(client, address, size, warm+times)
	if err != nil {
		return nil, err
	}
	return map[string]float64{"get": median(ns[warm:])}, nil
}

// callFresh measures GET requests each of which opens a connection.
func callFresh(address string, size int) (map[string]float64, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	ns, err := get(client, address, size, 5)
	if err != nil {
		return nil, err
	}
	return map[string]float64{"get": median(ns)}, nil
}

// get times requests one after another.
func get(client *http.Client, address string, size, times int) (ns []float64, err error) {
	for range times {
		start := time.Now()
		response, err := client.Get(fmt.Sprintf("http://%s/%d", address, size))
		if err != nil {
			return nil, err
		}
		n, err := io.Copy(io.Discard, response.Body)
		ns = append(ns, float64(time.Since(start)))
		response.Body.Close()
		if err != nil {
			return nil, err
		}
		if int(n) != size {
			return nil, fmt.Errorf("%d bytes instead of %d", n, size)
		}
	}
	return ns, nil
}

// askBytes is what an exchange begins with.
const askBytes = 16

// exchange sends so many bytes and receives others, preceded by their numbers.
func exchange(c net.Conn, up, down int) error {
	message := make([]byte, askBytes+up)
	binary.LittleEndian.PutUint64(message, uint64(up))
	binary.LittleEndian.PutUint64(message[8:], uint64(down))
	if _, err := c.Write(message); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, c, int64(down))
	return err
}
