package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
	"wirecost/internal/size"
	"wirecost/internal/transport"
)

// overFlags say what requests cross.
type overFlags struct {
	transports transports
	redis      redisURL
	server     string
	mode       choice
}

func (f *overFlags) add(cmd *cobra.Command) {
	f.transports = transports{bench.Memory}
	f.mode = choice{string(transport.ModeRelay), []string{string(transport.ModeRelay), string(transport.ModeTUN)}}
	flags := cmd.Flags()
	flags.Var(&f.transports, "over", "what documents cross: memory,http,http2,redis (memory: nothing, codecs alone)")
	flags.StringVar(&f.server, "server", "", "runtime that answers clients over HTTP that have no server of their own (default: those of --runtime that serve)")
	flags.Var(&f.redis, "redis", "a Redis server, as redis://:PASSWORD@HOST:6379/0 (default: one is started for the run)")
	flags.Var(&f.mode, "link-mode", "how HTTP meets --link: relay (of streams) or tun (packets; Linux, root)")
}

// transports is a flag that takes a list of transports.
type transports []bench.Transport

func (t *transports) Type() string { return "list" }
func (t *transports) String() string {
	names := make([]string, len(*t))
	for i, x := range *t {
		names[i] = string(x)
	}
	return strings.Join(names, ",")
}

func (t *transports) Set(s string) error {
	var list transports
	for name := range strings.SplitSeq(s, ",") {
		switch x := bench.Transport(strings.TrimSpace(name)); {
		case !slices.Contains([]bench.Transport{bench.Memory, bench.HTTP, bench.HTTP2, bench.Redis}, x):
			return errors.New("want memory, http, http2 or redis, or several of them")
		case !slices.Contains(list, x):
			list = append(list, x)
		}
	}
	*t = list
	return nil
}

func (t transports) has(x bench.Transport) bool { return slices.Contains(t, x) }

// web reports whether HTTP is among them.
func (t transports) web() bool { return t.has(bench.HTTP) || t.has(bench.HTTP2) }

// redisURL is a flag that takes the URL of a Redis server. It is written without
// its password: result files hold command lines.
type redisURL struct{ text string }

const hiddenPassword = "xxxxx" // as url.URL.Redacted writes it

func (r *redisURL) Type() string { return "url" }
func (r *redisURL) String() string {
	u, err := url.Parse(r.text)
	if err != nil {
		return ""
	}
	return u.Redacted()
}

func (r *redisURL) Set(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "redis" && u.Scheme != "rediss" { // the error would show the password
		return errors.New("want a URL such as redis://localhost:6379/0, or rediss:// for TLS")
	}
	r.text = s
	return nil
}

// hidden reports whether the password has been left out.
func (r *redisURL) hidden() bool {
	u, err := url.Parse(r.text)
	if err != nil {
		return false
	}
	password, _ := u.User.Password()
	return password == hiddenPassword
}

// check refuses flags that contradict each other or the machine.
func (f *overFlags) check(link string) error {
	switch {
	case f.redis.text != "" && !f.transports.has(bench.Redis):
		return &usageError{errors.New("--redis is for --over redis; add that")}
	case f.server != "" && !f.transports.web():
		return &usageError{errors.New("--server is for --over http; add that")}
	case f.redis.hidden():
		return &usageError{errors.New("the password of the Redis server is not kept in result files; give --redis again")}
	}
	if link == "" || !f.transports.web() {
		return nil
	}
	return transport.Mode(f.mode.value).Check()
}

// crossWires pairs the chosen runtimes with servers, for every transport.
func (r *running) crossWires(ctx context.Context, all []*runner.Runner) error {
	for _, t := range r.f.over.transports {
		if t == bench.Memory {
			continue
		}
		can, cannot := plan.Callers(r.choices, t)
		if len(can) == 0 {
			return &usageError{fmt.Errorf("--over %s: %s; %s", t, without(cannot, t), callers(all, t))}
		}
		if len(cannot) > 0 {
			r.remark("%s", without(cannot, t))
		}
		servers, err := r.servers(ctx, all, can, t)
		if err != nil {
			return err
		}
		r.wires = append(r.wires, plan.Wires(can, t, servers)...)
	}
	if r.f.over.transports.has(bench.Redis) && r.f.over.redis.text == "" {
		r.sayRedis()
	}
	if r.f.rate > 0 && r.f.link != "" && !r.relayed() && slices.ContainsFunc(r.wires, func(w plan.Wire) bool { return w.Transport != bench.Redis }) {
		r.remark("servers are not tried at the fixed rate: through --link-mode tun only the clients' own processes find them; --link-mode relay lets them be tried")
	}
	return nil
}

// relayed reports whether a link, if there is one, is a relay.
func (r *running) relayed() bool { return transport.Mode(r.f.over.mode.value) == transport.ModeRelay }

// without says which runtimes make no requests over a transport.
func without(cannot []plan.Choice, t bench.Transport) string {
	var names []string
	for _, c := range cannot {
		names = append(names, c.Runner.Runtime)
	}
	if len(names) == 1 {
		return fmt.Sprintf("%s makes no requests over %s", names[0], t)
	}
	return fmt.Sprintf("%s make no requests over %s", strings.Join(names, ", "), t)
}

// callers says which runtimes could.
func callers(all []*runner.Runner, t bench.Transport) string {
	var names []string
	for _, x := range all {
		if x.Calls(t) {
			names = append(names, x.Runtime)
		}
	}
	if len(names) == 0 {
		return "no runtime does"
	}
	return fmt.Sprintf("add one that does with --runtime (%s)", strings.Join(names, ", "))
}

// servers finds who answers clients that have no server of their own: the chosen
// runtimes that serve or, where none does, the first that is ready.
func (r *running) servers(ctx context.Context, all []*runner.Runner, clients []plan.Choice, t bench.Transport) ([]*runner.Runner, error) {
	if t == bench.Redis || !slices.ContainsFunc(clients, func(c plan.Choice) bool { return !c.Runner.Serves(t) }) {
		return nil, nil
	}
	if name := r.f.over.server; name != "" {
		return r.namedServer(ctx, all, name, t)
	}
	var servers []*runner.Runner
	for _, c := range r.choices {
		if c.Runner.Serves(t) {
			servers = append(servers, c.Runner)
		}
	}
	if len(servers) > 0 {
		return servers, nil
	}
	for _, x := range all {
		if !x.Serves(t) {
			continue
		}
		status, err := r.builder.Look(ctx, x)
		if err != nil {
			return nil, err
		}
		if status.Problem() == "" {
			r.versions[x.Runtime] = versions(status)
			r.remark("%s is the server over %s, since none of the runtimes asked for serves it", x.Runtime, t)
			return []*runner.Runner{x}, nil
		}
	}
	return nil, fmt.Errorf("--over %s needs a server, and no runtime that serves it is ready; wirecost doctor says what is missing", t)
}

// namedServer finds the server that the user wants.
func (r *running) namedServer(ctx context.Context, all []*runner.Runner, name string, t bench.Transport) ([]*runner.Runner, error) {
	var can []string
	for _, x := range all {
		if !x.Serves(t) {
			continue
		}
		if can = append(can, x.Runtime); x.Runtime != name {
			continue
		}
		status, err := r.builder.Look(ctx, x)
		if err != nil {
			return nil, err
		}
		if why := status.Problem(); why != "" {
			return nil, fmt.Errorf("--server %s: %s", name, why)
		}
		r.versions[name] = versions(status)
		return []*runner.Runner{x}, nil
	}
	return nil, &usageError{fmt.Errorf("--server %s: it serves nothing over %s; there are %s", name, t, strings.Join(can, ", "))}
}

// redisServer is the program that a Redis server is started with.
const redisServer = "redis-server"

// sayRedis says what is missed where the real server is not installed.
func (r *running) sayRedis() {
	if _, err := exec.LookPath(redisServer); err != nil {
		r.remark("%s is not installed: an embedded server takes its place, whose times are usable and whose memory figures are not shown", redisServer)
	}
}

// redis gives what reaches or starts a Redis server.
func (a *App) redis(url string) func(context.Context) (sched.Redis, error) {
	return func(ctx context.Context) (sched.Redis, error) {
		s, err := transport.StartRedis(ctx, url)
		if err != nil {
			return nil, err // not a nil *RedisServer in a Redis
		}
		return s, nil
	}
}

// remark says something that belongs beside the result.
func (r *running) remark(format string, args ...any) {
	voice{r.app.Stderr, r.f.output.quiet}.say(format, args...)
}

// webCodings are the content codings that HTTP is measured with where the user
// names none: as it is, and what every client and server knows.
const webCodings = "identity,gzip"

// crossing is what is measured over wires of some samples.
func (r *running) crossing(samples []string) (plan.Crossing, error) {
	list := r.codings.list
	if !r.codings.given {
		var err error
		if list, err = size.Parse(webCodings); err != nil {
			return plan.Crossing{}, err
		}
	}
	x := plan.Crossing{Samples: samples}
	for _, c := range list {
		x.Encodings = append(x.Encodings, c.Name())
	}
	if r.f.link != "" {
		link, err := bench.ParseLink(r.f.link)
		if err != nil {
			return x, &usageError{err}
		}
		x.Link = link.String()
	}
	return x, nil
}

// program is a runtime that is built, for its own cases or to answer others'.
type program struct {
	runner     *runner.Runner
	codecs     []runner.Codec
	transports []bench.Transport

	within  func(room runner.Room, prefix ...string) runner.Starter // nil: it could not be built
	dropped map[string]string
	lost    map[bench.Transport]string // transports that could not be built, with the reason
	broken  string                     // why nothing could be
}

// starter starts processes within a room; nil where nothing could be built.
func (p *program) starter(room runner.Room) runner.Starter {
	if p.within == nil {
		return nil
	}
	return p.within(room)
}

// program finds a runtime's, or makes it.
func (r *running) program(x *runner.Runner) *program {
	for _, p := range r.programs {
		if p.runner == x {
			return p
		}
	}
	p := &program{runner: x, dropped: map[string]string{}, lost: map[bench.Transport]string{}}
	r.programs = append(r.programs, p)
	return p
}

func (p *program) add(codecs []runner.Codec, t bench.Transport) {
	for _, c := range codecs {
		if !slices.ContainsFunc(p.codecs, func(x runner.Codec) bool { return x.Name == c.Name }) {
			p.codecs = append(p.codecs, c)
		}
	}
	if t != bench.Memory && !slices.Contains(p.transports, t) {
		p.transports = append(p.transports, t)
	}
}

func (p *program) codecNames() []string {
	names := make([]string, len(p.codecs))
	for i, c := range p.codecs {
		names[i] = c.Name
	}
	return names
}

// gather lists what has to be built. It refuses wires that have nothing to
// measure, and says what was asked for and has no cases.
func (r *running) gather() error {
	if r.f.over.transports.has(bench.Memory) {
		for _, c := range r.choices {
			r.program(c.Runner).add(c.Codecs, bench.Memory)
		}
	}
	x, err := r.crossing([]string{""})
	if err != nil {
		return err
	}
	var notes []string
	measured := map[bench.Transport]bool{}
	for _, w := range r.wires {
		cases := r.selection.Over(w, x)
		for _, n := range cases.Notes {
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
		r.program(w.Client.Runner).add(w.Client.Codecs, w.Transport)
		if w.Server != nil {
			r.program(w.Server).add(cases.Peers, w.Transport)
		}
		measured[w.Transport] = measured[w.Transport] || len(cases.Cases) > len(cases.Skips)
	}
	for _, t := range r.f.over.transports {
		if t != bench.Memory && !measured[t] {
			why := cmp.Or(strings.Join(notes, "; "), "encode stands for what is sent and decode for what is fetched (--op)")
			return &usageError{fmt.Errorf("--over %s: nothing is left to measure: %s", t, why)}
		}
	}
	for _, n := range notes {
		r.remark("%s", n)
	}
	return nil
}
