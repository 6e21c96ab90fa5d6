package sample

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/sourcecontextpb"

	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// decoder reads google.protobuf.SourceContext, a message with one string,
// file_name, and refuses unknown fields.
type decoder struct{}

func (decoder) Binary(data []byte) ([]byte, error) {
	var m sourcecontextpb.SourceContext
	if err := proto.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if len(m.ProtoReflect().GetUnknown()) > 0 {
		return nil, errors.New("unknown field")
	}
	return protojson.Marshal(&m)
}

func (decoder) Text(data []byte) (wire, json []byte, err error) {
	var m sourcecontextpb.SourceContext
	if err := prototext.Unmarshal(data, &m); err != nil {
		return nil, nil, &Error{Line: 1, Col: 2, Msg: "not in text format"}
	}
	if wire, err = proto.Marshal(&m); err == nil {
		json, err = protojson.Marshal(&m)
	}
	return wire, json, err
}

func message(t testing.TB, name string) string {
	t.Helper()
	data, err := proto.Marshal(&sourcecontextpb.SourceContext{FileName: name})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// framed puts each message behind its length.
func framed(messages ...string) string {
	var b []byte
	for _, m := range messages {
		b = append(binary.AppendUvarint(b, uint64(len(m))), m...)
	}
	return string(b)
}

func TestProtobuf(t *testing.T) {
	a, b, long := message(t, "a"), message(t, "b"), message(t, strings.Repeat("x", 200))
	for _, c := range []struct {
		name, content string
		want          []string // the messages
		note          string
	}{
		{"a.pb", a, []string{a}, ""},
		{"a.binpb.gz", gzipped(a), []string{a}, ""},
		{"a.pbf", "", []string{""}, ""}, // a message of defaults
		{"a.pb", framed(a, long, b), []string{a, long, b}, "a.pb was read as 3 messages, each behind its length"},
		{"a.pbs", framed(a), []string{a}, ""},
		{"a.delimited.zst", zstandard(framed(a, "", b)), []string{a, "", b}, ""},
		{"a.txtpb", `file_name: "a"`, []string{a}, ""},
		{"a.textproto", "\xEF\xBB\xBF\nfile_name: 'b' # why not\n", []string{b}, ""},
	} {
		samples, err := openOne(t, c.name, c.content, Options{Schema: decoder{}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s := samples[0]
		if len(s.Protobuf) != len(c.want) || len(s.Documents) != len(c.want) {
			t.Errorf("%s: %d messages, %d documents, want %d", c.name, len(s.Protobuf), len(s.Documents), len(c.want))
			continue
		}
		for i, want := range c.want {
			json, err := decoder{}.Binary([]byte(want))
			if err != nil {
				t.Fatal(err)
			}
			got, wantJSON := strictjson.Compact(nil, s.Documents[i].Data), strictjson.Compact(nil, json)
			if string(s.Protobuf[i]) != want || !bytes.Equal(got, wantJSON) {
				t.Errorf("%s: message %d is %x, %s; want %x, %s", c.name, i, s.Protobuf[i], got, want, wantJSON)
			}
		}
		if notes := strings.Join(s.Notes, "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", c.name, notes, c.note)
		}
	}
}

func TestProtobufRefused(t *testing.T) {
	a := message(t, "abc")
	unknown := "\x10\x01"
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string
	}{
		{"a.pb", a[:3], Options{}, "a.pb: the message at byte 0: proto:…"},
		{"a.pb", unknown, Options{}, "a.pb: the message at byte 0: unknown field"},
		{"a.pbs", framed(a, unknown), Options{}, "a.pbs: the message at byte 7: unknown field"},
		{"a.pbs", framed(a) + "\x05ab", Options{}, "a.pbs: at byte 6: a message of 5 bytes is announced, and 2 are left; …"},
		{"a.pbs", framed(a) + "\xFF", Options{}, "a.pbs: at byte 6: the length of a message is cut off"},
		{"a.pbs", strings.Repeat("\xFF", 20), Options{}, "a.pbs: at byte 0: the length"},
		{"a.pbs", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", Options{}, "a.pbs: at byte 0: a message of 18446744073709551615 bytes"},
		{"a.pbs", "", Options{}, "a.pbs: nothing to measure because it is empty"},
		{"a.txtpb", " \n", Options{}, "a.txtpb: nothing to measure because it is empty"},
		{"a.txtpb", "nope: 1", Options{}, "a.txtpb:1:2: not in text format"},
		{"a.pb", "k8s\x00\x0a\x00", Options{}, "a.pb: at byte 0: a Kubernetes envelope"},
		{"a.pb", a, Options{Limits: Limits{Document: 4}}, "a.pb: the message at byte 0 is larger than the limit of 4B; …--max-document"},
		{"a.pb", a, Options{Limits: Limits{Decoded: 4}}, "a.pb: the file is larger than the limit of 4B; …--max-decoded"},
		{"a.pbs", strings.Repeat("\x00", 100), Options{Limits: Limits{Documents: 99}}, "a.pbs: there are more documents than the limit of 99; …--max-documents"},
	} {
		c.opt.Schema = decoder{}
		_, err := openOne(t, c.name, c.content, c.opt)
		matches(t, c.name+" "+c.content, err, c.want)
	}
}

func TestKubernetesEnvelopeIsNamed(t *testing.T) {
	path := testenv.Corpora(t, "k8s", "testdata", "HEAD", "core.v1.Pod.pb")
	_, err := Open([]string{path}, Options{Schema: decoder{}})
	matches(t, path, err, "core.v1.Pod.pb: at byte 0: a Kubernetes envelope")
}

// Binary data of other messages are errors, not documents.
func TestForeignMessagesAreRefused(t *testing.T) {
	for _, rel := range []string{"gtfs-rt/vehicle_position.pb", "mvt/12-1143-1497.vector.pbf"} {
		path := testenv.Corpora(t, filepath.FromSlash(rel))
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		_, err := Open([]string{path}, Options{Schema: decoder{}})
		matches(t, rel, err, filepath.Base(path)+": the message at byte 0: …")
	}
}
