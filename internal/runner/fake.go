package runner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"wirecost/internal/bench"
)

// FakeRuntime starts runners that run nothing: they read the documents, write
// them back, and make up times by a model. With a virtual clock that they
// advance, whole runs are fast, and exactly the same each time.
type FakeRuntime struct {
	Description Description // Codecs say what there is; Protocol and ClockStepNS have defaults
	Clock       *VirtualClock
	Seed        uint64
	Cost        func(FakeOperation) float64 // nanoseconds of one operation on a quiet machine
	OverheadNS  float64                     // the timing loop's own, per operation
	RequestNS   float64                     // of the clock, for each request besides what it measures
	StartNS     float64                     // of the clock, for each process
	Noise       Noise
	// Checksums gives the leaf and visit checksums of one document. Nil: 1 and 1.
	Checksums func(s SampleFiles, form string, document []byte) (leaf, visit uint32, err error)
	Faults    map[string]Fault // by codec
	Network   *FakeNetwork     // where its servers are found; nil: one of its own

	forks uint64
}

// FakeOperation is what a cost is asked for.
type FakeOperation struct {
	Sample    string
	Codec     string
	Operation bench.Operation
	Document  int // index
	Bytes     int // of the document in the codec's form
	// Of a request over a transport also these; where Span is neither encode nor
	// decode, Document is the first and Bytes are those of all that it carries.
	Transport bench.Transport
	Encoding  string
	Peer      string // the server's codec
	Span      Span
}

// Noise is a model of how a machine disturbs measurements. All factors multiply.
type Noise struct {
	ForkSpread  float64 // standard deviation of the log of a factor per fork, codec and operation
	SlowForks   float64 // probability that a fork runs a codec's operation in a slow mode
	SlowFactor  float64 // of that mode
	Jitter      float64 // standard deviation of the log of a factor per batch
	DriftPerSec float64 // growth of the log of a factor that all share, per second
	SpikeRate   float64 // probability that a batch is interrupted
	SpikeNS     float64 // by so long
	RegimeSec   float64 // the machine changes its speed at random after multiples of this; 0: never
	RegimeLog   float64 // standard deviation of the log of that speed
}

// FaultKind is a way in which a fake codec is wrong.
type FaultKind string

// The faults.
const (
	FaultSkip     FaultKind = "skip"     // prepare skips the codec
	FaultFail     FaultKind = "fail"     // a request for it is answered with an error
	FaultOutput   FaultKind = "output"   // verify writes a last document that lost its contents
	FaultLeaf     FaultKind = "leaf"     // verify's first leaf is wrong
	FaultChecksum FaultKind = "checksum" // a timed batch's checksum is wrong
	FaultCrash    FaultKind = "crash"    // the process ends
	FaultHang     FaultKind = "hang"     // no answer until the deadline
	FaultRubbish  FaultKind = "rubbish"  // the answer is no JSON
	FaultGone     FaultKind = "gone"     // the server that is asked for this codec ends
)

// Fault plants a fault in a codec. After counts the requests for the codec,
// prepare left out, that go well first; of a server, those that it is called with.
type Fault struct {
	Kind  FaultKind
	After int
}

// Start implements Starter.
func (f *FakeRuntime) Start(ctx context.Context) (Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f.forks++
	f.advance(f.StartNS)
	if f.Network == nil {
		f.Network = &FakeNetwork{}
	}
	return &Fake{
		runtime: f,
		fork:    f.forks,
		random:  rand.New(rand.NewPCG(f.Seed, f.forks)),
		factors: map[FakeOperation]float64{},
		called:  map[FakeOperation]bool{},
		asked:   map[string]int{},
		samples: map[string]*fakeSample{},
	}, nil
}

func (f *FakeRuntime) advance(ns float64) { f.Clock.Advance(time.Duration(math.Round(ns))) }

func (f *FakeRuntime) codec(name string) (CodecDescription, bool) {
	i := slices.IndexFunc(f.Description.Codecs, func(c CodecDescription) bool { return c.Name == name })
	if i < 0 {
		return CodecDescription{}, false
	}
	return f.Description.Codecs[i], true
}

// shared is the factor that the whole machine runs at now.
func (f *FakeRuntime) shared() float64 {
	t := f.Clock.Elapsed().Seconds()
	log := f.Noise.DriftPerSec * t
	if f.Noise.RegimeSec > 0 {
		slot := uint64(t / f.Noise.RegimeSec)
		log += f.Noise.RegimeLog * rand.New(rand.NewPCG(f.Seed^0x5eed, slot)).NormFloat64()
	}
	return math.Exp(log)
}

// fakeSample is one sample in one form.
type fakeSample struct {
	documents   [][]byte
	leaf, visit []uint32
}

// Fake is one process of a FakeRuntime. It is a Process.
type Fake struct {
	runtime *FakeRuntime
	fork    uint64
	random  *rand.Rand
	factors map[FakeOperation]float64 // of this fork, per codec and operation
	asked   map[string]int            // requests per codec
	samples map[string]*fakeSample    // by sample and form
	called  map[FakeOperation]bool    // kinds of requests over transports
	cpu     int64                     // of requests over transports
	broken  *ProcessError
}

// factor is this fork's own for a codec's operation.
func (f *Fake) factor(codec string, op bench.Operation) float64 {
	key := FakeOperation{Codec: codec, Operation: op}
	x, ok := f.factors[key]
	if !ok {
		n := f.runtime.Noise
		// The order of asking must not matter, so each has a source of its own.
		r := rand.New(rand.NewPCG(f.runtime.Seed+f.fork, hashString(codec+"/"+string(op))))
		x = math.Exp(n.ForkSpread * r.NormFloat64())
		if r.Float64() < n.SlowForks {
			x *= n.SlowFactor
		}
		f.factors[key] = x
	}
	return x
}

func hashString(s string) uint64 { // FNV-1a
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// sample finds a codec's documents.
func (f *Fake) sample(name, codec string) (*fakeSample, error) {
	c, ok := f.runtime.codec(codec)
	if !ok {
		return nil, &FailedError{fmt.Sprintf("no codec %q", codec)}
	}
	s, ok := f.samples[name+"\x00"+c.Documents]
	if !ok {
		return nil, &FailedError{fmt.Sprintf("no sample %q was prepared", name)}
	}
	return s, nil
}

// begin counts a request for a codec and brings on its fault.
func (f *Fake) begin(ctx context.Context, codec string) error {
	if f.broken != nil {
		return f.broken
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.runtime.advance(f.runtime.RequestNS)
	if codec == "" {
		return nil
	}
	f.asked[codec]++
	switch {
	case f.faulty(codec, FaultFail):
		return &FailedError{"planted failure of " + codec}
	case f.faulty(codec, FaultCrash):
		return f.breaks("ended while it was asked for " + codec + ": exit status 2")
	case f.faulty(codec, FaultRubbish):
		return f.breaks("answered with rubbish")
	case f.faulty(codec, FaultHang):
		wait := DefaultDeadline
		if deadline, ok := ctx.Deadline(); ok {
			wait = time.Until(deadline)
		}
		f.runtime.Clock.Advance(wait.Round(time.Second))
		return f.breaks("did not answer in time and was stopped")
	}
	return nil
}

func (f *Fake) breaks(what string) error {
	f.broken = &ProcessError{What: what}
	return f.broken
}

func (f *Fake) faulty(codec string, kind FaultKind) bool {
	fault, ok := f.runtime.Faults[codec]
	return ok && fault.Kind == kind && f.asked[codec] > fault.After
}

// Close implements Process.
func (f *Fake) Close() error {
	f.runtime.Network.remove(f)
	if f.broken == nil {
		f.broken = &ProcessError{What: "was closed"}
	}
	return nil
}
