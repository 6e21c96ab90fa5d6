package schema

import (
	"os"
	"strings"
	"testing"

	"wirecost/internal/testenv"
)

func TestDecoderText(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; package p; message M { int32 some_number = 1; repeated M m = 2; }`)
	d := s.Decoder()
	binary, json, err := d.Text([]byte("some_number: 7 # note\nm { some_number: 1 } m {}"))
	if err != nil {
		t.Fatal(err)
	}
	if got := hexOf(binary); got != "08071202080112"+"00" || string(json) != `{"someNumber":7,"m":[{"someNumber":1},{"someNumber":0}]}` {
		t.Errorf("%s %s", got, json)
	}
	if again, err := d.Binary(binary); err != nil || string(again) != string(json) {
		t.Errorf("%s %v", again, err)
	}
	if _, _, err := d.Text([]byte("some_number: 7\n other: 1")); err == nil || !strings.Contains(err.Error(), "not a p.M in text format: line 2, column 2: unknown field: other") {
		t.Errorf("have %v", err)
	}
}

func TestDecoderUnknownFields(t *testing.T) {
	d := mustText(t, `syntax = "proto3"; message M { string a = 1; }`).Decoder()
	if _, err := d.Binary([]byte("\x12\x09some text\x18\x01")); err == nil || !strings.Contains(err.Error(), "13 of 13 bytes are fields that M lacks (numbers 2, 3): this looks like an envelope") {
		t.Errorf("have %v", err)
	}
	json, err := d.Binary([]byte("\x0a\x26" + strings.Repeat("x", 38) + "\x18\x01"))
	if err != nil || string(json) != `{"a":"`+strings.Repeat("x", 38)+`"}` {
		t.Errorf("%s %v", json, err)
	}
	if notes := d.Notes(); len(notes) != 1 || notes[0].String() != "$: 1 messages hold 2 bytes of fields that the schema lacks; they are left out" {
		t.Errorf("notes: %v", notes)
	}
	if _, err := d.Binary([]byte("\x0a\x05x")); err == nil || !strings.Contains(err.Error(), "not a M: ") {
		t.Errorf("have %v", err)
	}
}

func TestDecoderCorpora(t *testing.T) {
	for _, tt := range []struct{ schema, message, file, fails string }{
		{"google_message/datasets/google_message1/proto2/benchmark_message1_proto2.proto", "GoogleMessage1", "google_message/datasets/google_message1/proto2/dataset.google_message1_proto2.pb", "looks like an envelope"},
		{"google_message/datasets/google_message1/proto3/benchmark_message1_proto3.proto", "GoogleMessage1", "google_message/datasets/google_message1/proto3/dataset.google_message1_proto3.pb", "looks like an envelope"},
		{"google_message/datasets/google_message2/benchmark_message2.proto", "GoogleMessage2", "google_message/datasets/google_message2/dataset.google_message2.pb", "looks like an envelope"},
		{"google_message/benchmarks.proto", "", "google_message/datasets/google_message2/dataset.google_message2.pb", ""},
		{"protobufjs-bench/buf-perf/perf.proto", "", "protobufjs-bench/buf-perf/perf-payload.bin", ""},
		{"protobufjs-bench/vector-tile/vector_tile.proto", "", "protobufjs-bench/vector-tile/vector_tile.bin", ""},
		{"mvt/vector_tile.proto", "", "mvt/12-1143-1497.vector.pbf", ""},
		{"mvt/vector_tile_2.1.proto", "", "mvt/lots-of-tags.vector.pbf", ""},
		{"gtfs-rt/gtfs-realtime.proto", "FeedMessage", "gtfs-rt/vehicle_position.pb", ""},
	} {
		t.Run(tt.file, func(t *testing.T) {
			s := compileFile(t, Source{File: testenv.Corpora(t, tt.schema), Message: tt.message})
			data, err := os.ReadFile(testenv.Corpora(t, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			json, err := s.Decoder().Binary(data)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("want an error with %q, have %v", tt.fails, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Fit("", [][]byte{json}, FitOptions{Repr: nil}); err != nil {
				t.Fatal(err)
			}
			losses, err := s.Losses("", [][]byte{json})
			if err != nil || len(losses) > 0 {
				t.Errorf("losses %v %v", losses, err)
			}
		})
	}
}

// No bytes make the decoder panic, and what it takes reads back.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("\x08\x01\x12\x01x\x22\x05\x0a\x03abc"))
	f.Add([]byte("\xa2\x01\x04\x08\x01\x10\x02\xaa\x01\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	s := testSchema(f, "kitchen.proto", "Sink")
	d, r := s.Decoder(), reference(f, s)
	f.Fuzz(func(t *testing.T, data []byte) {
		json, err := d.Binary(data)
		if err != nil {
			return
		}
		if _, err := r.FromJSON(json); err != nil {
			t.Fatalf("%v in %s", err, json)
		}
	})
}
