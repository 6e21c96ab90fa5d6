package sample

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// protobuf adds the messages of a source to a sample.
//
// A binary file is one message. Where it does not decode as one, and consists
// of messages that each stand behind their length as a varint, it is read as
// these. The extensions .pbs and .delimited say that it does.
func (k *keeper) protobuf(src *source, s *Sample) error {
	if k.opt.Schema == nil {
		hint := "name it with --schema FILE"
		if base, _, _ := nameOf(src.file); isBin(src.file, base) {
			hint += ", or rename the file if it holds JSON"
		}
		return &Error{File: src.file, Msg: "reading Protobuf needs a schema", Hint: hint}
	}
	data, err := newText(src.file, src).all(k.opt.Limits.Decoded, FlagDecoded)
	if err != nil {
		return err
	}
	p := &messages{keeper: k, sample: s, file: src.file}
	switch src.kind {
	case kindText:
		return p.text(data)
	case kindDelimited:
		return p.delimited(data)
	}
	return p.binary(data)
}

// messages adds Protobuf messages to a sample.
type messages struct {
	*keeper
	sample *Sample
	file   string
}

// kubernetesMagic begins what Kubernetes stores: runtime.Unknown around the message.
const kubernetesMagic = "k8s\x00"

func (p *messages) binary(data []byte) error {
	if bytes.HasPrefix(data, []byte(kubernetesMagic)) {
		return &Error{File: p.file, Msg: `at byte 0: a Kubernetes envelope: "k8s\0" and a runtime.Unknown around the message`,
			Hint: "take the message out: it is the bytes of field 2 (raw) of what follows the first four bytes"}
	}
	json, err := p.opt.Schema.Binary(data)
	if err == nil {
		return p.keepMessage(frame{0, data}, json)
	}
	if framed, broken := p.frames(data); broken == nil && len(framed) > 0 {
		if decoded, broken := p.decode(framed); broken == nil {
			p.sample.Notes = append(p.sample.Notes, fmt.Sprintf("%s was read as %s, each behind its length, because it does not decode as one message",
				shown(p.file), count(len(framed), "message", "messages")))
			return p.keepAll(framed, decoded)
		}
	}
	return p.fault(0, err)
}

func (p *messages) delimited(data []byte) error {
	framed, err := p.frames(data)
	if err != nil {
		return err
	}
	if len(framed) == 0 {
		return &NothingError{File: p.file, Reason: "it is empty"}
	}
	decoded, err := p.decode(framed)
	if err != nil {
		return err
	}
	return p.keepAll(framed, decoded)
}

func (p *messages) text(data []byte) error {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(bytes.TrimSpace(data)) == 0 {
		return &NothingError{File: p.file, Reason: "it is empty"}
	}
	binary, json, err := p.opt.Schema.Text(data)
	if err != nil {
		return p.fault(-1, err)
	}
	return p.keepMessage(frame{0, binary}, json)
}

// decode gives the JSON of each message.
func (p *messages) decode(framed []frame) ([][]byte, error) {
	decoded := make([][]byte, len(framed))
	var total int64
	for i, f := range framed {
		json, err := p.opt.Schema.Binary(f.data)
		if err != nil {
			return nil, p.fault(f.at, err)
		}
		if total += int64(len(json)); total > p.opt.Limits.Decoded {
			return nil, tooLarge(p.file, place{}, "the JSON form of its messages", p.opt.Limits.Decoded, FlagDecoded)
		}
		decoded[i] = json
	}
	return decoded, nil
}

func (p *messages) keepAll(framed []frame, decoded [][]byte) error {
	for i, f := range framed {
		if err := p.keepMessage(f, decoded[i]); err != nil {
			return err
		}
	}
	return nil
}

// keepMessage adds one message.
func (p *messages) keepMessage(message frame, json []byte) error {
	if limit := p.opt.Limits.Document; int64(len(message.data)) > limit {
		return tooLarge(p.file, place{}, fmt.Sprintf("the message at byte %d", message.at), limit, FlagDocument)
	}
	json = bytes.Trim(json, whiteSpace)
	if fault := faultOf(json, p.opt.Limits); fault != nil {
		fault = Hinted(fault, p.opt)
		return &Error{File: p.file, Msg: fmt.Sprintf("the JSON form of the message at byte %d: %s", message.at, fault.Msg), Hint: fault.Hint, Err: fault}
	}
	if err := p.keep(p.sample, Document{Data: json, Source: p.file}); err != nil {
		return err
	}
	p.sample.Protobuf = append(p.sample.Protobuf, message.data)
	return nil
}

// fault passes on what the decoder says of the message at a byte of the file,
// or of text (at -1).
func (p *messages) fault(at int, err error) error {
	var located *Error
	if errors.As(err, &located) {
		e := *located
		e.File = p.file
		return &e
	}
	msg := strings.ReplaceAll(err.Error(), "\u00a0", " ") // which protobuf-go puts in at random
	if at >= 0 {
		msg = fmt.Sprintf("the message at byte %d: %s", at, msg)
	}
	return &Error{File: p.file, Msg: msg, Err: err}
}

// frame is a message in a file.
type frame struct {
	at   int // offset of its first byte
	data []byte
}

// frames takes apart messages that each stand behind their length as a varint.
func (p *messages) frames(data []byte) ([]frame, error) {
	const hint = "the file may be cut off, or be a single message: name that .pb"
	var out []frame
	for at := 0; at < len(data); {
		length, n := binary.Uvarint(data[at:])
		if n <= 0 {
			return nil, &Error{File: p.file, Msg: fmt.Sprintf("at byte %d: the length of a message is cut off or too long", at), Hint: hint}
		}
		if left := len(data) - at - n; length > uint64(left) {
			return nil, &Error{File: p.file, Msg: fmt.Sprintf("at byte %d: a message of %d bytes is announced, and %d are left", at, length, left), Hint: hint}
		}
		if len(out) == p.opt.Limits.Documents {
			return nil, tooMany(p.file, place{}, len(out))
		}
		at += n
		end := at + int(length)
		out = append(out, frame{at, data[at:end:end]})
		at = end
	}
	return out, nil
}
