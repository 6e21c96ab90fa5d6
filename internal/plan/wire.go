package plan

import (
	"fmt"
	"slices"
	"strings"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// Wire is a way that requests take: who calls whom over what.
type Wire struct {
	Client    Choice
	Transport bench.Transport
	Server    *runner.Runner // nil for Redis, which is no runner
}

// Callers divides choices into those that can call over a transport and those
// that cannot.
func Callers(choices []Choice, t bench.Transport) (can, cannot []Choice) {
	for _, c := range choices {
		if c.Runner.Calls(t) {
			can = append(can, c)
		} else {
			cannot = append(cannot, c)
		}
	}
	return can, cannot
}

// Wires pairs clients with servers. A runtime that serves is called by its own
// client, so that it shows what its stack costs; a client that has no server, as
// of a browser, calls all of those given.
func Wires(clients []Choice, t bench.Transport, servers []*runner.Runner) []Wire {
	var wires []Wire
	for _, c := range clients {
		switch {
		case t == bench.Redis:
			wires = append(wires, Wire{c, t, nil})
		case c.Runner.Serves(t):
			wires = append(wires, Wire{c, t, c.Runner})
		default:
			for _, s := range servers {
				wires = append(wires, Wire{c, t, s})
			}
		}
	}
	return wires
}

// crossing is an operation over a wire, with what it asks of the two sides.
type crossing struct {
	op     bench.Operation
	codec  bench.Operation   // of codecs, by which users select it
	client []bench.Operation // of the client's codec
	server bench.Operation   // of the server's; empty: there is none
}

func (w Wire) crossings() []crossing {
	encode, decode := []bench.Operation{bench.Encode}, []bench.Operation{bench.Decode}
	if w.Transport == bench.Redis {
		both := []bench.Operation{bench.Encode, bench.Decode} // what is read was written before
		return []crossing{
			{bench.Set, bench.Encode, encode, ""}, {bench.Get, bench.Decode, both, ""},
			{bench.SetPipelined, bench.Encode, encode, ""}, {bench.GetPipelined, bench.Decode, both, ""},
		}
	}
	return []crossing{{bench.Get, bench.Decode, decode, bench.Encode}, {bench.Post, bench.Encode, encode, bench.Decode}}
}

// Crossing is what is to be measured over wires.
type Crossing struct {
	Samples   []string
	Encodings []string // content codings of HTTP, with their levels
	Link      string   // the shaped link that HTTP goes through; empty: none
}

// WireCases are cases of one wire.
type WireCases struct {
	Cases []bench.Case
	Skips map[bench.Case]string // those of them that cannot be, with the reason
	Peers []runner.Codec        // of the server
	Notes []string              // what was asked for and has no cases
}

// Over lists the cases of a wire: sample by sample, operation by operation,
// content coding by content coding, codec by codec.
func (s Selection) Over(w Wire, x Crossing) WireCases {
	out := WireCases{Skips: map[bench.Case]string{}}
	if w.Transport == bench.Redis {
		x.Encodings, x.Link = []string{bench.Identity}, ""
	}
	for _, sample := range x.Samples {
		for _, op := range w.crossings() {
			if len(s.Operations) > 0 && !slices.Contains(s.Operations, op.codec) {
				continue
			}
			for _, encoding := range x.Encodings {
				problem, note := w.coding(op, encoding)
				if note != "" {
					out.note(note)
					continue
				}
				for _, codec := range w.Client.Codecs {
					c := bench.Case{
						Sample: sample, Runtime: w.Client.Runner.Runtime, Codec: codec.Name, Format: codec.Format,
						Operation: op.op, Transport: w.Transport, Encoding: encoding, Link: x.Link,
					}
					if hasAll(codec, op.client) {
						out.add(w, op, codec, c, problem)
					}
				}
			}
		}
	}
	return out
}

func hasAll(c runner.Codec, ops []bench.Operation) bool {
	return !slices.ContainsFunc(ops, func(op bench.Operation) bool { return !slices.Contains(c.Operations, op) })
}

func (x *WireCases) note(text string) {
	if !slices.Contains(x.Notes, text) {
		x.Notes = append(x.Notes, text)
	}
}

// noPeer stands where a server has no codec for a case.
const noPeer = "none"

// add adds a case, with the server's codec where there is a server.
func (x *WireCases) add(w Wire, op crossing, codec runner.Codec, c bench.Case, problem string) {
	if w.Server != nil {
		peer, ok := w.peer(codec, op.server)
		c.Peer = w.Server.Runtime + "/" + noPeer
		if ok {
			c.Peer = w.Server.Runtime + "/" + peer.Name
		}
		switch {
		case !ok && problem == "":
			problem = fmt.Sprintf("the server, %s, has no codec for %s that can %s", w.Server.Runtime, codec.Documents, op.server)
		case problem == "" && !slices.ContainsFunc(x.Peers, func(p runner.Codec) bool { return p.Name == peer.Name }):
			x.Peers = append(x.Peers, peer)
		}
	}
	x.Cases = append(x.Cases, c)
	if problem != "" {
		x.Skips[c] = problem
	}
}

// peer is the server's codec for a client's: the same one where the two are of
// one runtime, else the server's usual one for the same form of documents.
func (w Wire) peer(codec runner.Codec, op bench.Operation) (runner.Codec, bool) {
	var best runner.Codec
	rank := 0
	for _, c := range w.Server.Codecs {
		if c.Format != codec.Format || c.Documents != codec.Documents || !slices.Contains(c.Operations, op) {
			continue
		}
		r := 1
		switch {
		case w.Server == w.Client.Runner && c.Name == codec.Name:
			r = 4
		case c.Role == "default":
			r = 3
		case c.Default:
			r = 2
		}
		if r > rank {
			best, rank = c, r
		}
	}
	return best, rank > 0
}

// coding looks at whether the two sides of an operation know a content coding. A
// problem is a reason to skip cases; a note says that there are none, because
// the side that compresses does so at another level.
func (w Wire) coding(op crossing, encoding string) (problem, note string) {
	if encoding == bench.Identity {
		return "", ""
	}
	from, to := w.Client.Runner, w.Server
	roles := []runner.Role{runner.RoleCall, runner.RoleServe}
	if op.op == bench.Get {
		from, to = to, from
		slices.Reverse(roles)
	}
	name, _, _ := strings.Cut(encoding, ":")
	made, read := named(codings(from, w.Transport, roles[0]), name), named(codings(to, w.Transport, roles[1]), name)
	switch {
	case made == "":
		return fmt.Sprintf("%s does not compress with %s", from.Runtime, name), ""
	case read == "":
		return fmt.Sprintf("%s does not decompress %s", to.Runtime, name), ""
	case made != encoding:
		return "", fmt.Sprintf("%s is not measured over %s: %s compresses with %s", encoding, w.Transport, from.Runtime, made)
	}
	return "", ""
}

// named finds a content coding by its name without the level; empty: it is not there.
func named(codings []string, name string) string {
	for _, c := range codings {
		if n, _, _ := strings.Cut(c, ":"); n == name {
			return c
		}
	}
	return ""
}

func codings(r *runner.Runner, t bench.Transport, role runner.Role) []string {
	header, _ := transport(r, t, role)
	return header.Encodings
}

// Library names the libraries that carry a runtime's part of a transport, with
// what is to be known of them.
func Library(r *runner.Runner, t bench.Transport, role runner.Role) string {
	header, _ := transport(r, t, role)
	if header.Note != "" {
		return fmt.Sprintf("%s (%s)", header.Library, header.Note)
	}
	return header.Library
}

func transport(r *runner.Runner, name bench.Transport, role runner.Role) (runner.Transport, bool) {
	for _, t := range r.Transports {
		if slices.Contains(t.Transports, name) && slices.Contains(t.Roles, role) {
			return t, true
		}
	}
	return runner.Transport{}, false
}
