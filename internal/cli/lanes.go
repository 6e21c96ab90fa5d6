package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"wirecost/internal/bench"
	"wirecost/internal/plan"
	"wirecost/internal/runner"
	"wirecost/internal/sched"
	"wirecost/internal/transport"
)

// atOnce is how many runtimes are compiled for side by side: a compiler takes a
// core or more, and memory.
func atOnce() int { return max(1, runtime.GOMAXPROCS(0)) }

// warming is work that needs no schema, under way.
type warming map[*runner.Runner]chan struct{}

// warm starts compiling what needs no schema, a few runtimes at a time.
func (r *running) warm(ctx context.Context) warming {
	w := warming{}
	if r.app.Start != nil {
		return w
	}
	slots := make(chan struct{}, atOnce())
	for _, p := range r.programs {
		done := make(chan struct{})
		w[p.runner] = done
		go func() {
			defer close(done)
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				// What is wrong is told by the build, if it matters to it.
				_ = r.builder.Warm(ctx, p.runner, p.codecNames(), p.transports...)
			case <-ctx.Done():
			}
		}()
	}
	return w
}

// wait waits until a runtime's libraries are ready.
func (w warming) wait(x *runner.Runner) {
	if done := w[x]; done != nil {
		<-done
	}
}

// end waits for all.
func (w warming) end() {
	for _, done := range w {
		<-done
	}
}

// build builds every runtime, a few at a time, and makes lanes of them. It fails
// where none can be built at all.
func (r *running) build(ctx context.Context, warm warming) ([]sched.Lane, error) {
	errs := make([]error, len(r.programs))
	r.preparing()
	var group errgroup.Group
	group.SetLimit(atOnce())
	for i, p := range r.programs {
		group.Go(func() error {
			errs[i] = r.make(ctx, p, warm)
			return nil
		})
	}
	_ = group.Wait() // each has an error of its own
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	built := 0
	for i, err := range errs {
		if err == nil {
			built++
			continue
		}
		errs[i] = fmt.Errorf("the %s runner does not build: %w", r.programs[i].runner.Runtime, err)
		r.programs[i].broken, _, _ = strings.Cut(errs[i].Error(), "\n")
	}
	failed := errors.Join(errs...)
	if built == 0 {
		return nil, failed
	}
	r.unbuilt = failed
	return r.allLanes()
}

// preparing says what is being built.
func (r *running) preparing() {
	var names []string
	for _, p := range r.programs {
		names = append(names, p.runner.Runtime)
	}
	if r.app.Start == nil {
		r.live.phase("preparing the codecs of %s (what has to be compiled takes minutes the first time, and is kept)", strings.Join(names, ", "))
	}
}

// make builds a program, and gives it what starts its processes.
func (r *running) make(ctx context.Context, p *program, warm warming) error {
	if r.app.Start != nil {
		fake := r.app.Start(p.runner)
		p.within = func(runner.Room, ...string) runner.Starter { return fake }
		return nil
	}
	warm.wait(p.runner)
	build, err := r.buildOne(ctx, p)
	if err != nil {
		return err
	}
	for _, d := range build.Dropped {
		p.dropped[d.Codec] = d.Reason
	}
	for _, d := range build.DroppedTransports {
		p.lost[d.Transport] = d.Reason
	}
	p.within = build.Within
	return nil
}

func (r *running) buildOne(ctx context.Context, p *program) (*runner.Build, error) {
	sets, err := runner.Sets(r.in.schema)
	if err != nil {
		return nil, err
	}
	return r.builder.Build(ctx, p.runner, runner.BuildRequest{
		Model: r.in.schema.Model, Sets: sets, Codecs: p.codecNames(), Transports: p.transports,
		Progress: func(line string) { r.live.phase("%s", line) },
	})
}

// allLanes makes the lanes: those that stay in memory first, since others rely on
// what they find out.
func (r *running) allLanes() ([]sched.Lane, error) {
	ids := make([]string, len(r.data))
	for i, d := range r.data {
		ids[i] = d.ID
	}
	var lanes []sched.Lane
	if r.f.over.transports.has(bench.Memory) {
		for _, c := range r.choices {
			lane := r.lane(c)
			lane.Cases = r.selection.Cases(c, ids)
			lanes = append(lanes, lane)
		}
	}
	x, err := r.crossing(ids)
	if err != nil {
		return nil, err
	}
	for _, w := range r.wires {
		lanes = append(lanes, r.wireLane(w, r.selection.Over(w, x)))
	}
	return lanes, nil
}

// lane is what all lanes of a runtime have in common.
func (r *running) lane(c plan.Choice) sched.Lane {
	p := r.program(c.Runner)
	return sched.Lane{
		Runtime: c.Runner.Runtime, Isolated: c.Runner.Isolation == "codec", Compiles: c.Runner.Compiles,
		Codecs: c.Codecs, Starter: p.starter(r.room()), Dropped: p.dropped, Broken: p.broken,
	}
}

// room is the memory that a process may take: so much as --max-memory says.
func (r *running) room() runner.Room { return r.limited(runner.RoomFor(r.timed())) }

// wireRoom is that of a server or a client.
func (r *running) wireRoom() runner.Room { return r.limited(runner.WireRoomFor(r.timed())) }

func (r *running) limited(room runner.Room) runner.Room {
	if r.f.maxMemory > 0 {
		room.Bytes, room.Asked = int64(r.f.maxMemory), true
	}
	return room
}

// timed gives the bytes of every document that runners get.
func (r *running) timed() (lengths []int) {
	for _, d := range r.data {
		for _, doc := range d.form("compact") {
			lengths = append(lengths, len(doc))
		}
	}
	return lengths
}

// wireLane is a lane over a wire.
func (r *running) wireLane(w plan.Wire, x plan.WireCases) sched.Lane {
	lane := r.lane(w.Client)
	lane.Starter = r.program(w.Client.Runner).starter(r.wireRoom())
	lane.Cases, lane.Skips = x.Cases, x.Skips
	wire := &sched.Wire{Transport: w.Transport, Client: plan.Library(w.Client.Runner, w.Transport, runner.RoleCall)}
	lane.Wire = wire
	client := r.program(w.Client.Runner)
	lost := client.lost[w.Transport]
	if w.Server == nil {
		wire.Redis = r.app.redis(r.f.over.redis.text)
	} else {
		server := r.program(w.Server)
		if lost == "" {
			lost = server.lost[w.Transport]
		}
		wire.Answers = plan.Library(w.Server, w.Transport, runner.RoleServe)
		wire.Server = &sched.Program{
			Runtime: w.Server.Runtime, Compiles: w.Server.Compiles, Codecs: server.codecs,
			Starter: server.starter(r.wireRoom()), Dropped: server.dropped, Broken: server.broken,
		}
		r.shape(wire, client)
	}
	if lost != "" {
		for _, c := range lane.Cases {
			lane.Skips[c] = fmt.Sprintf("%s was not built in: %s", w.Transport, lost)
		}
	}
	return lane
}

// shape puts the link before the server, if one was asked for, and lets the server
// be tried at a fixed rate, unless only the clients' processes find it.
func (r *running) shape(wire *sched.Wire, client *program) {
	mode := transport.Mode(r.f.over.mode.value)
	link, err := bench.ParseLink(r.f.link)
	if err == nil {
		wire.Within = func(prefix []string) runner.Starter { return client.within(r.wireRoom(), prefix...) }
		wire.Link = func(target string) (transport.Path, error) { return transport.Open(mode, target, link) }
	}
	if err != nil || r.relayed() {
		wire.Attack = func(ctx context.Context, o transport.OpenLoop) (*transport.Latencies, error) { return o.Run(ctx) }
	}
}
