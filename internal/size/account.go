package size

// The units of a size.
const (
	PerDocument  = "document"     // each document compressed alone, summed
	Concatenated = "concatenated" // all documents as one stream
)

// Key says what was counted.
type Key struct{ Form, Encoding, Unit string }

// Total is what was counted: sums over documents. Times are in nanoseconds on
// one core.
type Total struct {
	Documents, Bytes         int64
	CompressNS, DecompressNS int64
}

// Account adds up sizes. Merging is associative and commutative and the zero
// Account is its empty element, so documents may be counted in chunks, on
// several cores or machines, in any order. A concatenated stream is the one thing
// that cannot be made of chunks: it is counted whole, once.
type Account struct{ totals map[Key]Total }

// Add counts t for k.
func (a *Account) Add(k Key, t Total) {
	if a.totals == nil {
		a.totals = make(map[Key]Total)
	}
	sum := a.totals[k]
	sum.Documents += t.Documents
	sum.Bytes += t.Bytes
	sum.CompressNS += t.CompressNS
	sum.DecompressNS += t.DecompressNS
	a.totals[k] = sum
}

// Merge adds all that b counted.
func (a *Account) Merge(b Account) {
	for k, t := range b.totals {
		a.Add(k, t)
	}
}

// Total gives what was counted for k.
func (a Account) Total(k Key) Total { return a.totals[k] }
