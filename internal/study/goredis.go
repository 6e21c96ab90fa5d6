package study

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"google.golang.org/protobuf/runtime/protoimpl"

	"wirecost/internal/bench"
)

// requested is how many documents the study stored and read.
const requested = 10_000

// The forms in which the study measured its structures.
const (
	inMemory = "one"
	single   = "single"
	listOf10 = "list"
)

const (
	goJSON     = "go/encoding-json"
	goProtobuf = "go/protobuf"
)

var formats = map[string]string{goJSON: "JSON", goProtobuf: "Protobuf"}

// singleMessage is laid out as protoc-gen-go lays SingleData out.
type singleMessage struct {
	_    protoimpl.MessageState
	X, Y string
	Z    int32
	End  bool
	_    protoimpl.UnknownFields
	_    protoimpl.SizeCache
}

// singleStruct is SingleData as a plain structure.
type singleStruct struct {
	X, Y string
	Z    int32
	End  bool
}

func init() {
	register(&Study{
		Name:     "go-redis",
		Title:    "Simple structures in Go, stored in Redis",
		Question: "In a simple web server without gRPC, is Protobuf worth it over JSON?",
		Setting: []string{
			"Small structures, and lists of ten of them, are encoded by encoding/json and by Protobuf, stored in Redis and read back: ten thousand of each, one after another, through go-redis with a pool of ten connections and keys that live for a minute. Time and allocated bytes are of the whole loop.",
		},
		Schema: `syntax = "proto3";
package data;

message SingleData {
  string X = 1;
  string Y = 2;
  int32 Z = 3;
  bool End = 4;
}

message MultipleData {
  repeated SingleData Data = 1;
  bool Status = 2;
}
`,
		Payloads: []Payload{
			{Name: inMemory, Message: "data.SingleData", Count: 1, JSON: 45, Protobuf: 19, Document: func(int) []byte {
				return []byte(`{"X":"X col","Y":"Y col","Z":2401,"End":true}`)
			}},
			{Name: single, Message: "data.SingleData", Count: requested, JSON: 466_670, Protobuf: 207_650, Document: singleData},
			{Name: listOf10, Message: "data.MultipleData", Count: requested, JSON: 5_406_700, Protobuf: 2_696_500, Document: multipleData},
		},
		Runs: []Run{
			{
				Name: "memory", Payloads: []string{inMemory}, Runtimes: []string{"go"}, Codecs: []string{goJSON, goProtobuf},
				Operations: []bench.Operation{bench.Encode, bench.Decode}, Time: 10 * time.Second,
			},
			{
				Name: "redis", Payloads: []string{single, listOf10}, Runtimes: []string{"go"}, Codecs: []string{goJSON, goProtobuf},
				Over: []bench.Transport{bench.Redis}, Time: 28 * time.Second,
			},
		},
		Figures: goRedisFigures(),
		Claims: []Claim{
			{"1", "unsafe.Sizeof shows the sizes of the two forms", []Part{
				Exact{"Sizeof of the JSON, against its length", float64(unsafe.Sizeof([]byte(nil))), Bytes, SizeOf("memory", inMemory, "compact", bench.Identity)},
				Exact{"Sizeof of the Protobuf, against its length", float64(unsafe.Sizeof([]byte(nil))), Bytes, SizeOf("memory", inMemory, "binary", bench.Identity)},
			}},
			{"2", "In memory JSON encodes slightly faster, and Protobuf decodes about 3 times faster", []Part{
				Ratio{What: "encode, JSON to Protobuf", Of: held(goJSON, bench.Encode), To: held(goProtobuf, bench.Encode), Published: 1, Less: true},
				Ratio{What: "decode, Protobuf to JSON", Of: held(goProtobuf, bench.Decode), To: held(goJSON, bench.Decode), Published: 1.0 / 3, Less: true},
			}},
			{"3", "Through Redis, Protobuf's total time is slightly shorter (1 to 3%)", []Part{
				Ratio{What: "single, SET and GET, Protobuf to JSON", Of: loop(goProtobuf, single), To: loop(goJSON, single), Published: 0.983, Less: true},
				Ratio{What: "list of 10, SET and GET, Protobuf to JSON", Of: loop(goProtobuf, listOf10), To: loop(goJSON, listOf10), Published: 0.973, Less: true},
			}},
			{"4", "Through Redis, Protobuf allocates less on read (0.56 and 0.74) and slightly more on write (1.02 and 1.04)", []Part{
				allocates("single, GET", bench.Get, single, 0.56),
				allocates("list of 10, GET", bench.Get, listOf10, 0.74),
				allocates("single, SET", bench.Set, single, 1.02),
				allocates("list of 10, SET", bench.Set, listOf10, 1.04),
			}},
		},
		Explanations: []Explanation{
			{"What unsafe.Sizeof shows", headers},
			{"Where the time goes: round trips", roundTrips},
			{"The same work pipelined", pipelined},
			{"What Redis holds", stored},
		},
		Differences: []string{
			"The loops are measured in slices, JSON and Protobuf in turn; what is printed as a loop is ten thousand times the median of one operation.",
			"Allocated bytes are those of the process that calls Redis, over the requests, with what it takes to note their times.",
		},
	})
}

func singleData(i int) []byte {
	return fmt.Appendf(nil, `{"X":"x_%d","Y":"y_%d","Z":%d,"End":true}`, i, i, i)
}

func multipleData(i int) []byte {
	var items []string
	for k := range 10 {
		items = append(items, fmt.Sprintf(`{"X":"x_%d_%d","Y":"y_%d_%d","Z":%d,"End":true}`, i, k, i, k, i))
	}
	return fmt.Appendf(nil, `{"Data":[%s],"Status":true}`, strings.Join(items, ","))
}

// held is an operation in memory.
func held(codec string, op bench.Operation) Measure {
	return Time(Cell{Run: "memory", Sample: inMemory, Codec: codec, Operation: op})
}

func inRedis(codec, sample string, op bench.Operation) Cell {
	return Cell{Run: "redis", Sample: sample, Codec: codec, Operation: op, Transport: bench.Redis}
}

// loop is storing and reading one document.
func loop(codec, sample string) Measure {
	return Sum(Time(inRedis(codec, sample, bench.Set)), Time(inRedis(codec, sample, bench.Get)))
}

func allocates(what string, op bench.Operation, sample string, published float64) Ratio {
	return Ratio{
		What: what + ", Protobuf to JSON", Published: published, Less: published < 1,
		Of: Allocated(inRedis(goProtobuf, sample, op)), To: Allocated(inRedis(goJSON, sample, op)),
	}
}

func goRedisFigures() []Figure {
	var allocated, times []Figure
	for _, row := range []struct {
		what, sample, format, codec          string
		writeBytes, readBytes, writeS, readS float64
	}{
		{"single", single, "JSON", goJSON, 3_768_944, 5_740_856, 4.3898424, 4.2871468},
		{"single", single, "Protobuf", goProtobuf, 3_846_216, 3_208_424, 4.3408826, 4.1870866},
		{"list of 10", listOf10, "JSON", goJSON, 17_359_512, 27_367_512, 4.3941977, 4.3876318},
		{"list of 10", listOf10, "Protobuf", goProtobuf, 18_109_736, 20_352_296, 4.3003062, 4.2445293},
	} {
		for _, x := range []struct {
			what   string
			op     bench.Operation
			bytes  float64
			second float64
		}{{"encode and SET", bench.Set, row.writeBytes, row.writeS}, {"GET and decode", bench.Get, row.readBytes, row.readS}} {
			cell, name := inRedis(row.codec, row.sample, x.op), fmt.Sprintf("%s, %s, %s", row.what, row.format, x.what)
			allocated = append(allocated, Figure{Group: "memory allocated by 10,000", Name: name, Published: x.bytes, Unit: Bytes, Measured: Allocated(cell).Times(requested).Median()})
			times = append(times, Figure{Group: "time of 10,000", Name: name, Published: x.second, Unit: Seconds, Measured: Time(cell).Times(requested * 1e-9).Median()})
		}
	}
	return append(allocated, times...)
}

// headers sets what unsafe.Sizeof says beside what a value takes.
func headers(r *Results) Told {
	t := Told{Header: []string{"", "unsafe.Sizeof", "encoded", "allocated to encode", "allocated to decode"}, Numbers: map[string]Number{}}
	slice := float64(unsafe.Sizeof([]byte(nil)))
	for _, x := range []struct{ name, codec, form string }{{"JSON", goJSON, "compact"}, {"Protobuf", goProtobuf, "binary"}} {
		size := t.number(x.name+" encoded", SizeOf("memory", inMemory, x.form, bench.Identity)(r).median())
		row := []string{"the bytes, " + x.name, Bytes.Format(slice), size.in(Bytes)}
		for _, op := range []bench.Operation{bench.Encode, bench.Decode} {
			n := t.number(x.name+" allocated to "+string(op), Allocated(Cell{Run: "memory", Sample: inMemory, Codec: x.codec, Operation: op})(r).median())
			row = append(row, n.in(Bytes))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows,
		[]string{"the structure, JSON", Bytes.Format(float64(unsafe.Sizeof(singleStruct{}))), "", "", ""},
		[]string{"the structure, Protobuf", Bytes.Format(float64(unsafe.Sizeof(singleMessage{}))), "", "", ""})
	t.say("unsafe.Sizeof of encoded bytes is that of a slice's header, a pointer and two lengths: %s whatever it points to. Of a structure it counts the headers of its strings and not what they hold.", Bytes.Format(slice))
	return t
}

// roundTrips shows which share of a request is codec.
func roundTrips(r *Results) Told {
	return shares(r, []bench.Operation{bench.Set, bench.Get},
		"One after another, a request waits for its round trip. The codec's share of the time of a loop of single structures is %s with JSON and %s with Protobuf; so the format cannot change the total by more than that.")
}

// pipelined shows the same without the waiting.
func pipelined(r *Results) Told {
	t := shares(r, []bench.Operation{bench.SetPipelined, bench.GetPipelined},
		"With many commands in one round trip, the codec's share of the time of a single structure is %s with JSON and %s with Protobuf: here the format counts.")
	for _, sample := range []string{single, listOf10} {
		both := func(codec string) Measure {
			return Sum(Time(inRedis(codec, sample, bench.SetPipelined)), Time(inRedis(codec, sample, bench.GetPipelined)))
		}
		n := t.number("pipelined, Protobuf to JSON, "+sample, Over(both(goProtobuf), both(goJSON))(r).median())
		t.say("Pipelined, storing and reading one document (%s) by Protobuf takes %s of JSON's time.", sample, with(n, Times))
	}
	return t
}

// shares is the table of the codec's share of requests; the sentence speaks of single
// structures, in JSON and in Protobuf.
func shares(r *Results, ops []bench.Operation, sentence string) Told {
	t := Told{Header: []string{"", "time of one", "codec", "its share"}, Numbers: map[string]Number{}}
	var of []any
	for _, sample := range []string{single, listOf10} {
		for _, codec := range []string{goJSON, goProtobuf} {
			var total, work []Measure
			for _, op := range ops {
				cell := inRedis(codec, sample, op)
				total, work = append(total, Time(cell)), append(work, Span(cell, encodeSpan), Span(cell, decodeSpan))
				codecs := Sum(Span(cell, encodeSpan), Span(cell, decodeSpan))
				t.Rows = append(t.Rows, []string{
					fmt.Sprintf("%s, %s, %s", sample, formats[codec], op), Time(cell)(r).median().alone(Nanoseconds),
					codecs(r).median().alone(Nanoseconds), Over(codecs, Time(cell))(r).median().in(Share),
				})
			}
			n := t.number("codec's share, "+sample+", "+formats[codec], Over(Sum(work...), Sum(total...))(r).median())
			if sample == single {
				of = append(of, with(n, Share))
			}
		}
	}
	t.say(sentence, of...)
	return t
}

// stored is what the server holds.
func stored(r *Results) Told {
	t := Told{Header: []string{"per key", "value", "MEMORY USAGE", "used_memory"}}
	server, meaningless, grew := "", false, false
	for _, sample := range []string{single, listOf10} {
		for _, codec := range []string{goJSON, goProtobuf} {
			x, problem := r.find(inRedis(codec, sample, bench.Set))
			if x == nil || x.storage == nil || x.storage.Keys == 0 {
				if problem == "" {
					problem = "the run did not look at what the server holds"
				}
				t.say("%s", shown{Number{Problem: problem}, ""})
				return t
			}
			s := x.storage
			server, meaningless, grew = s.Server, meaningless || s.MemoryUsage < 0, grew || s.UsedMemory >= 0
			row := []string{sample + ", " + formats[codec]}
			for _, n := range []int64{s.ValueBytes, s.MemoryUsage, s.UsedMemory} {
				text := ""
				if n >= 0 {
					text = Bytes.Format(float64(n) / float64(s.Keys))
				}
				row = append(row, text)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.say("The server was %s.", server)
	if meaningless {
		t.say("%s", "What it says of memory would mean nothing; redis-server in PATH, or --redis URL, gives these figures.")
		return t
	}
	t.say("%s", "MEMORY USAGE is what Redis counts for a key and its value, with the structures around them. It shrinks less than the value, since a key costs the same whatever it holds.")
	if grew {
		t.say("%s", "used_memory is by how much the whole server grew.")
	}
	return t
}
