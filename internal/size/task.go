package size

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"wirecost/internal/bench"
)

// task is one piece of work: some documents of a form, each alone, or all of
// them as one stream, under one coding.
type task struct {
	form   Form
	first  int // index of the form's first document within the sample
	coding Coding
	unit   string
	tries  int   // how often each document is timed; 0: not at all
	weight int64 // bytes to compress
}

// whole is the task of one stream of all documents.
func (t task) whole() task {
	t.unit = Concatenated
	t.weight = total(t.form.Documents)
	return t
}

// split cuts the documents into tasks of about equal bytes.
func (t task) split() []task {
	const chunk = 256 << 10
	var tasks []task
	documents := t.form.Documents
	for first := 0; first < len(documents); {
		weight, next := int64(0), first
		for next < len(documents) && weight < chunk {
			weight += int64(len(documents[next]))
			next++
		}
		part := t
		part.unit, part.first, part.weight = PerDocument, first, weight
		part.form.Documents = documents[first:next]
		tasks = append(tasks, part)
		first = next
	}
	return tasks
}

// count does the work.
func (t task) count(ctx context.Context) (Account, error) {
	var account Account
	key := Key{t.form.Name, t.coding.Name(), t.unit}
	if t.unit == Concatenated {
		sum, err := t.stream(ctx)
		if err != nil {
			return account, fmt.Errorf("form %q as one stream: %w", t.form.Name, err)
		}
		account.Add(key, sum)
		return account, nil
	}
	m := meter{coding: t.coding, tries: t.tries}
	for i, document := range t.form.Documents {
		if err := ctx.Err(); err != nil {
			return account, err
		}
		sum, err := m.document(document)
		if err != nil {
			return account, fmt.Errorf("form %q, document %d: %w", t.form.Name, t.first+i+1, err)
		}
		account.Add(key, sum)
	}
	return account, nil
}

// meter measures single documents; it keeps its buffers from one to the next.
type meter struct {
	coding       Coding
	tries        int
	packed, open []byte
}

// document compresses one document, decompresses it again and compares.
func (m *meter) document(document []byte) (Total, error) {
	if m.coding.Name() == bench.Identity {
		return Total{Documents: 1, Bytes: int64(len(document))}, nil
	}
	compress, err := m.repeat(func() (err error) {
		m.packed, err = m.coding.Compress(m.packed[:0], document)
		return err
	})
	if err != nil {
		return Total{}, err
	}
	decompress, err := m.repeat(func() (err error) {
		m.open, err = m.coding.Decompress(m.open[:0], m.packed, len(document))
		return err
	})
	if errors.Is(err, ErrTooLarge) || err == nil && !bytes.Equal(m.open, document) {
		return Total{}, different(m.coding)
	}
	if err != nil {
		return Total{}, err
	}
	return Total{1, int64(len(m.packed)), compress.Nanoseconds(), decompress.Nanoseconds()}, nil
}

// repeat does the same thing a few times, for a millisecond, and gives the
// shortest time: what disturbs only ever adds. Untimed it does it once.
func (m *meter) repeat(do func() error) (time.Duration, error) {
	const enough = time.Millisecond
	if m.tries == 0 {
		return 0, do()
	}
	shortest, spent := time.Duration(0), time.Duration(0)
	for n := 0; n < m.tries && spent < enough; n++ {
		start := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		took := time.Since(start)
		spent += took
		if n == 0 || took < shortest {
			shortest = took
		}
	}
	return shortest, nil
}

func different(c Coding) error {
	return fmt.Errorf("%s does not give back what it was given: this is a fault in %s; leave %s out", c.Name(), c.Library(), c.Name())
}
