package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"wirecost/internal/bench"
)

// tunPath joins two network namespaces by packets: the clients' and one in which
// connections arrive that are then led to the server without delay. So the kernel's
// own TCP works over the link, with slow start, and the server needs to know
// nothing of it. Nothing has a name in the system: when this process ends, in
// whatever way, namespaces and devices are gone.
type tunPath struct {
	*proxy
	clients, servers *side
	up, down         lane
	delay            time.Duration
	prefix           []string
	packets          sync.WaitGroup
}

// The two ends' addresses, out of those that are set apart for measuring networks
// (RFC 2544).
var (
	clientsIP = net.IPv4(198, 18, 0, 1)
	serversIP = net.IPv4(198, 18, 0, 2)
)

const (
	// packetBytes is the largest packet: what an Ethernet carries.
	packetBytes = 1500
	// waiting is what may wait before a link, as in the kernel's own emulation of
	// links; further packets are lost.
	waiting = 1000 * packetBytes
	// underWay bounds the packets between two devices; more are lost too.
	underWay = 1 << 14
)

// enter is the program that starts another one in a network namespace.
const enter = "nsenter"

func checkTUN() error {
	const instead = "or use --link-mode relay"
	if os.Geteuid() != 0 {
		return errors.New("a link of packets needs root; run as root, " + instead)
	}
	if _, err := os.Stat(tunDevice); err != nil {
		return fmt.Errorf("a link of packets needs %s, which is not here; load the kernel module tun, or give the container that device, %s", tunDevice, instead)
	}
	if _, err := exec.LookPath(enter); err != nil {
		return fmt.Errorf("a link of packets needs the program %s (package util-linux); install it, %s", enter, instead)
	}
	return nil
}

func openTUN(target string, link bench.Link) (Path, error) {
	program, err := exec.LookPath(enter)
	if err != nil {
		return nil, err
	}
	t := &tunPath{up: lane{bits: link.Bits}, down: lane{bits: link.Bits}, delay: oneWay(link.RoundTrip, waking())}
	var listener net.Listener
	t.clients, err = newSide(clientsIP, func() error { return nil })
	if err == nil {
		t.servers, err = newSide(serversIP, func() (err error) {
			listener, err = net.Listen("tcp4", net.JoinHostPort(serversIP.String(), "0"))
			return err
		})
	}
	if err != nil {
		t.clients.close()
		t.servers.close()
		return nil, fmt.Errorf("a link of packets cannot be set up: %w; use --link-mode relay", err)
	}
	t.prefix = []string{program, fmt.Sprintf("--net=/proc/%d/fd/%d", os.Getpid(), t.clients.namespace.Fd())}
	t.proxy = newProxy(listener, target, forward)
	t.pump(t.servers.device, t.clients.device, &t.up)
	t.pump(t.clients.device, t.servers.device, &t.down)
	t.start()
	return t, nil
}

// Prefix implements Path.
func (t *tunPath) Prefix() []string { return t.prefix }

// Close implements Path.
func (t *tunPath) Close() error {
	err := t.proxy.Close()
	t.clients.close()
	t.servers.close()
	t.packets.Wait()
	return err
}

// packet is one on its way.
type packet struct {
	data []byte
	due  time.Time
}

// pump carries packets in one direction until the devices are closed.
func (t *tunPath) pump(to, from *os.File, l *lane) {
	queue := make(chan packet, underWay)
	t.packets.Go(func() {
		defer close(queue)
		buffer := make([]byte, 2*packetBytes)
		for {
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			left, ok := l.offer(time.Now(), n, waiting)
			if !ok {
				continue
			}
			select {
			case queue <- packet{bytes.Clone(buffer[:n]), left.Add(t.delay)}:
			default:
			}
		}
	})
	t.packets.Go(func() {
		alarm := preciseAlarm(t.ctx)
		defer alarm.stop()
		for p := range queue {
			if alarm.wait(p.due) {
				_, _ = to.Write(p.data) // a lost packet is TCP's business
			}
		}
	})
}

// forward copies both directions of a connection without delay.
func forward(_ context.Context, client, server conn) {
	var both sync.WaitGroup
	for _, d := range []struct{ to, from conn }{{server, client}, {client, server}} {
		both.Go(func() {
			_, err := io.Copy(d.to, d.from)
			if err == nil {
				err = d.to.CloseWrite()
			}
			if err != nil {
				reset(d.to)
				reset(d.from)
			}
		})
	}
	both.Wait()
}
