package main

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strconv"
)

// most bounds what a client may ask for.
const most = 1 << 27

// serveRaw answers exchanges.
func serveRaw() (net.Addr, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answer(c)
		}
	}()
	return l.Addr(), nil
}

func answer(c net.Conn) {
	defer c.Close()
	for {
		var head [askBytes]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		up, down := binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
		if up > most || down > most {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(up)); err != nil {
			return
		}
		if _, err := c.Write(make([]byte, down)); err != nil {
			return
		}
	}
}

// serveHTTP answers GET /N with N bytes.
func serveHTTP() (net.Addr, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(serveBytes)}
	go func() { _ = server.Serve(l) }() // until this program ends
	return l.Addr(), nil
}

func serveBytes(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil || n < 0 || n > most {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(n))
	_, _ = w.Write(make([]byte, n)) // the client counts
}
