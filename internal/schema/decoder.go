package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Decoder reads documents that are Protobuf messages of the schema's default
// root, and gives them as JSON. It is safe for concurrent use.
type Decoder struct {
	ref *Reference
	err error

	mu      sync.Mutex
	unknown int // messages with fields that the schema lacks
	bytes   int // of those fields
	where   string
}

// Decoder returns a decoder for the default root.
func (s *Schema) Decoder() *Decoder {
	own, err := s.WithRoots(map[string]string{"": ""})
	if err != nil {
		return &Decoder{err: err}
	}
	ref, err := own.Reference("")
	return &Decoder{ref: ref, err: err}
}

// maxUnknownShare is the part of a message that may be fields the schema lacks
// (a newer producer, extensions). Beyond it, it is more likely another message.
const maxUnknownShare = 0.1

// Binary converts one message to JSON.
func (d *Decoder) Binary(data []byte) ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	m, err := d.ref.unmarshalPartial(data)
	if err != nil {
		return nil, fmt.Errorf("%w; is it wrapped in an envelope, or of another type (--message)?", err)
	}
	where, unknown := d.ref.Unknown(m)
	if float64(unknown) > maxUnknownShare*float64(len(data)) {
		return nil, fmt.Errorf("%d of %d bytes are fields that %s lacks (%s): this looks like an envelope or another message; name its type with --message",
			unknown, len(data), d.ref.root.model.Name, unknownNumbers(m, where))
	}
	if err := d.ref.checkRequired(m); err != nil {
		return nil, err
	}
	if unknown > 0 {
		d.note(where, unknown)
	}
	return d.ref.ToJSON(m)
}

// unknownNumbers names some of the unknown fields.
func unknownNumbers(m protoreflect.Message, where string) string {
	var numbers []int
	for b := []byte(m.GetUnknown()); len(b) > 0; {
		num, _, n := protowire.ConsumeField(b)
		if n < 0 {
			break
		}
		if !slices.Contains(numbers, int(num)) {
			numbers = append(numbers, int(num))
		}
		b = b[n:]
	}
	if len(numbers) == 0 {
		return "at " + where
	}
	slices.Sort(numbers)
	texts := []string{}
	for _, n := range numbers[:min(len(numbers), 5)] {
		texts = append(texts, strconv.Itoa(n))
	}
	return "numbers " + strings.Join(texts, ", ")
}

func (d *Decoder) note(where string, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unknown++
	d.bytes += bytes
	if d.where == "" {
		d.where = where
	}
}

// Notes says what was left out of the messages so far.
func (d *Decoder) Notes() []Note {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unknown == 0 {
		return nil
	}
	return []Note{{d.where, fmt.Sprintf("%d messages hold %d bytes of fields that the schema lacks; they are left out", d.unknown, d.bytes)}}
}

var textPosition = regexp.MustCompile(`^(?:syntax error )?\(line (\d+):(\d+)\): `)

// Text converts one message in Protobuf's text format to its wire form and to JSON.
func (d *Decoder) Text(data []byte) (binary, json []byte, err error) {
	if d.err != nil {
		return nil, nil, d.err
	}
	m := dynamicpb.NewMessage(d.ref.own)
	if err := prototext.Unmarshal(data, m); err != nil {
		text := cleanProtoError(err)
		if p := textPosition.FindStringSubmatch(text); p != nil {
			text = fmt.Sprintf("line %s, column %s: %s", p[1], p[2], strings.TrimPrefix(text, p[0]))
		}
		return nil, nil, fmt.Errorf("not a %s in text format: %s", d.ref.root.model.Name, text)
	}
	if binary, err = (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil {
		return nil, nil, fmt.Errorf("%s", cleanProtoError(err))
	}
	json, err = d.Binary(binary)
	return binary, json, err
}
