package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

const tunDevice = "/dev/net/tun"

// side is one end of a link of packets: a network namespace in which there is
// nothing but a loopback device and a TUN device.
type side struct {
	namespace *os.File
	device    *os.File
}

// newSide makes a side with an address and calls inside in its namespace.
func newSide(ip net.IP, inside func() error) (*side, error) {
	s := new(side)
	done := make(chan error)
	go func() { done <- s.setUp(ip, inside) }()
	if err := <-done; err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close gives the side back. It may be nil, or half set up.
func (s *side) close() {
	if s == nil {
		return
	}
	if s.device != nil {
		s.device.Close()
	}
	if s.namespace != nil {
		s.namespace.Close()
	}
}

// setUp needs a goroutine of its own: its thread enters the new namespace, and
// comes back or ends.
func (s *side) setUp(ip net.IP, inside func() error) error {
	const self = "/proc/thread-self/ns/net"
	runtime.LockOSThread()
	home, err := os.Open(self)
	if err != nil {
		return err
	}
	defer home.Close()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("a new network namespace: %w", err)
	}
	defer func() {
		if unix.Setns(int(home.Fd()), unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread()
		}
	}()
	if s.namespace, err = os.Open(self); err != nil {
		return err
	}
	if err := tune(); err != nil {
		return err
	}
	if s.device, err = openDevice(deviceName); err != nil {
		return err
	}
	if err := configure(ip); err != nil {
		return err
	}
	return inside()
}

// tune sets the namespace's TCP so that a warm connection stays warm
// (docs/links.md), and keeps what one connection has learnt from the next.
func tune() error {
	for _, s := range []struct {
		name, value string
		required    bool
	}{
		{"ipv4/tcp_slow_start_after_idle", "0", true},
		{"ipv4/tcp_no_metrics_save", "1", true},
		{"ipv4/tcp_congestion_control", "reno", true},
		{"ipv4/tcp_congestion_control", "cubic", false}, // not everywhere allowed in a namespace
		{"ipv6/conf/all/disable_ipv6", "1", false},
		{"ipv6/conf/default/disable_ipv6", "1", false},
	} {
		err := os.WriteFile("/proc/sys/net/"+s.name, []byte(s.value), 0)
		if err != nil && s.required {
			var path *fs.PathError
			if errors.As(err, &path) {
				err = path.Err
			}
			return fmt.Errorf("setting net/%s: %w", s.name, err)
		}
	}
	return nil
}

// deviceName is the TUN device's, within its namespace.
const deviceName = "wire"

// openDevice makes a TUN device in the thread's namespace. It goes away when it
// is closed.
func openDevice(name string) (*os.File, error) {
	fd, err := unix.Open(tunDevice, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tunDevice, err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("a TUN device: %w", err)
	}
	return os.NewFile(uintptr(fd), tunDevice), nil
}

// configure gives the thread's namespace an address on the TUN device and brings
// its devices up.
func configure(ip net.IP) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	up := func(r *unix.Ifreq) error { r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING); return nil }
	for _, step := range []struct {
		device string
		ioctl  uint
		fill   func(*unix.Ifreq) error
	}{
		{"lo", unix.SIOCSIFFLAGS, up},
		// The device must take what a sender lets go at once; the link's own queue
		// is the one that drops.
		{deviceName, unix.SIOCSIFTXQLEN, func(r *unix.Ifreq) error { r.SetUint32(underWay); return nil }},
		{deviceName, unix.SIOCSIFADDR, func(r *unix.Ifreq) error { return r.SetInet4Addr(ip.To4()) }},
		{deviceName, unix.SIOCSIFNETMASK, func(r *unix.Ifreq) error { return r.SetInet4Addr(net.CIDRMask(30, 32)) }},
		{deviceName, unix.SIOCSIFFLAGS, up},
	} {
		request, err := unix.NewIfreq(step.device)
		if err == nil {
			err = step.fill(request)
		}
		if err == nil {
			err = unix.IoctlIfreq(fd, step.ioctl, request)
		}
		if err != nil {
			return fmt.Errorf("configuring the network device %s: %w", step.device, err)
		}
	}
	return nil
}
