package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wirecost/internal/bench"
	"wirecost/internal/runner"
)

// wired are a runtime with a whole stack, a client without a server, a server
// with fewer codecs and other levels, and one that knows no transport.
func wired() (stack, browser, server, plain Choice) {
	both := []bench.Operation{bench.Encode, bench.Decode}
	codec := func(name string, format bench.Format, documents, role string, usual bool, ops ...bench.Operation) runner.Codec {
		return runner.Codec{Name: name, Format: format, Documents: documents, Role: role, Default: usual, Operations: ops}
	}
	web := []bench.Transport{bench.HTTP, bench.HTTP2}
	roles := []runner.Role{runner.RoleServe, runner.RoleCall}
	choice := func(name string, codecs []runner.Codec, transports ...runner.Transport) Choice {
		r := &runner.Runner{Manifest: runner.Manifest{Runtime: name}, Codecs: codecs, Transports: transports}
		return Choice{Runner: r, Codecs: codecs}
	}
	stack = choice("stack", []runner.Codec{
		codec("odd", bench.JSON, "json", "", false, both...),
		codec("plain", bench.JSON, "json", "default", true, both...),
		codec("reader", bench.JSON, "json", "", true, bench.Decode),
		codec("wire", bench.Protobuf, "protobuf", "default", true, both...),
		codec("text", bench.JSON, "protojson", "", true, both...),
	}, runner.Transport{Transports: web, Roles: roles, Encodings: []string{"gzip:6", "br:4"}, Library: "web 1"},
		runner.Transport{Transports: []bench.Transport{bench.Redis}, Roles: []runner.Role{runner.RoleCall}, Library: "redis 1"})
	browser = choice("browser", []runner.Codec{
		codec("parse", bench.JSON, "json", "default", true, both...),
		codec("pb", bench.Protobuf, "protobuf", "default", true, both...),
		codec("text", bench.JSON, "protojson", "", true, both...),
	}, runner.Transport{Transports: web[:1], Roles: roles[1:], Encodings: []string{"gzip:6"}, Library: "fetch"})
	server = choice("server", []runner.Codec{
		codec("first", bench.JSON, "json", "", true, both...),
		codec("usual", bench.JSON, "json", "default", true, both...),
		codec("pb", bench.Protobuf, "protobuf", "", true, both...),
	}, runner.Transport{Transports: web[:1], Roles: roles[:1], Encodings: []string{"gzip:9"}, Library: "web 2"})
	plain = choice("plain", stack.Codecs)
	return stack, browser, server, plain
}

func TestWires(t *testing.T) {
	stack, browser, server, plain := wired()
	choices := []Choice{stack, browser, plain, server}
	for _, test := range []struct {
		transport bench.Transport
		want      string
		cannot    string
	}{
		{bench.HTTP, "stack→stack browser→stack browser→server", "plain server"},
		{bench.HTTP2, "stack→stack", "browser plain server"},
		{bench.Redis, "stack→", "browser plain server"},
	} {
		can, cannot := Callers(choices, test.transport)
		var got, not []string
		for _, w := range Wires(can, test.transport, []*runner.Runner{stack.Runner, server.Runner}) {
			name := w.Client.Runner.Runtime + "→"
			if w.Server != nil {
				name += w.Server.Runtime
			}
			got = append(got, name)
		}
		for _, c := range cannot {
			not = append(not, c.Runner.Runtime)
		}
		if strings.Join(got, " ") != test.want || strings.Join(not, " ") != test.cannot {
			t.Errorf("%s: %q, and without %q; want %q and %q", test.transport, got, not, test.want, test.cannot)
		}
	}
}

// list gives each case as "operation encoding codec→peer", or with why it cannot be.
func (x WireCases) list() []string {
	var out []string
	for _, c := range x.Cases {
		s := fmt.Sprintf("%s %s %s→%s", c.Operation, c.Encoding, c.Codec, c.Peer)
		if why := x.Skips[c]; why != "" {
			s += ": " + why
		}
		out = append(out, s)
	}
	return out
}

func TestOverAWire(t *testing.T) {
	stack, browser, server, _ := wired()
	own := Wire{stack, bench.HTTP, stack.Runner}
	for _, test := range []struct {
		name      string
		wire      Wire
		ops       []bench.Operation
		encodings []string
		want      []string
		notes     []string
	}{
		{"its own server has the same codecs, or the usual one where a codec cannot", own, nil, []string{"identity"}, []string{
			"get identity odd→stack/odd", "get identity plain→stack/plain", "get identity reader→stack/plain", "get identity wire→stack/wire", "get identity text→stack/text",
			"post identity odd→stack/odd", "post identity plain→stack/plain", "post identity wire→stack/wire", "post identity text→stack/text",
		}, nil},
		{"another server has its usual ones", Wire{browser, bench.HTTP, server.Runner}, []bench.Operation{bench.Decode}, []string{"identity"}, []string{
			"get identity parse→server/usual", "get identity pb→server/pb",
			"get identity text→server/none: the server, server, has no codec for protojson that can encode",
		}, nil},
		{"the side that compresses decides the level", Wire{browser, bench.HTTP, server.Runner}, nil, []string{"gzip:6", "br:4"}, []string{
			"get br:4 parse→server/usual: server does not compress with br", "get br:4 pb→server/pb: server does not compress with br", "get br:4 text→server/none: server does not compress with br",
			"post gzip:6 parse→server/usual", "post gzip:6 pb→server/pb", "post gzip:6 text→server/none: the server, server, has no codec for protojson that can decode",
			"post br:4 parse→server/usual: browser does not compress with br", "post br:4 pb→server/pb: browser does not compress with br", "post br:4 text→server/none: browser does not compress with br",
		}, []string{"gzip:6 is not measured over http: server compresses with gzip:9"}},
		{"a browser that cannot read a coding", Wire{browser, bench.HTTP, stack.Runner}, []bench.Operation{bench.Decode}, []string{"br:4"}, []string{
			"get br:4 parse→stack/plain: browser does not decompress br", "get br:4 pb→stack/wire: browser does not decompress br", "get br:4 text→stack/text: browser does not decompress br",
		}, nil},
		{"Redis compresses nothing, and what is read was written", Wire{stack, bench.Redis, nil}, nil, []string{"gzip:6", "br:4"}, []string{
			"set identity odd→", "set identity plain→", "set identity wire→", "set identity text→",
			"get identity odd→", "get identity plain→", "get identity wire→", "get identity text→",
			"set-pipelined identity odd→", "set-pipelined identity plain→", "set-pipelined identity wire→", "set-pipelined identity text→",
			"get-pipelined identity odd→", "get-pipelined identity plain→", "get-pipelined identity wire→", "get-pipelined identity text→",
		}, nil},
		{"encode selects what writes", Wire{stack, bench.Redis, nil}, []bench.Operation{bench.Encode, bench.Visit}, nil, []string{
			"set identity odd→", "set identity plain→", "set identity wire→", "set identity text→",
			"set-pipelined identity odd→", "set-pipelined identity plain→", "set-pipelined identity wire→", "set-pipelined identity text→",
		}, nil},
		{"visit selects nothing", own, []bench.Operation{bench.Visit}, []string{"identity"}, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := Selection{Operations: test.ops}.Over(test.wire, Crossing{Samples: []string{"s"}, Encodings: test.encodings})
			if d := cmp.Diff(test.want, x.list()); d != "" {
				t.Errorf("cases (-want +got):\n%s", d)
			}
			if d := cmp.Diff(test.notes, x.Notes); d != "" {
				t.Errorf("notes (-want +got):\n%s", d)
			}
		})
	}
}

func TestCasesOfAWire(t *testing.T) {
	stack, browser, _, _ := wired()
	x := Selection{}.Over(Wire{browser, bench.HTTP, stack.Runner}, Crossing{[]string{"a", "b"}, []string{"identity", "gzip:6"}, "10mbit/20ms"})
	if len(x.Cases) != 2*2*2*3 {
		t.Errorf("%d cases", len(x.Cases))
	}
	for _, c := range x.Cases {
		if c.Link != "10mbit/20ms" || c.Lane() != "browser over http to stack" || c.Format == "" {
			t.Errorf("%+v", c)
		}
	}
	var peers []string
	for _, p := range x.Peers {
		peers = append(peers, p.Name)
	}
	if slices.Sort(peers); strings.Join(peers, " ") != "plain text wire" {
		t.Errorf("the server needs %q", peers)
	}
	redis := Selection{}.Over(Wire{stack, bench.Redis, nil}, Crossing{[]string{"a"}, []string{"identity"}, "10mbit/20ms"})
	for _, c := range redis.Cases {
		if c.Link != "" {
			t.Errorf("Redis is called through the link: %+v", c)
		}
	}
	if got := Library(stack.Runner, bench.HTTP2, runner.RoleServe) + ", " + Library(stack.Runner, bench.Redis, runner.RoleCall); got != "web 1, redis 1" {
		t.Errorf("libraries %q", got)
	}
}
