package study

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"wirecost/internal/bench"
)

// phones are the lengths of the lists that the study measured.
var phones = []int{10, 100, 1000, 2000, 4000, 8000, 16000}

// published address-book times, in seconds for one operation: decoding with json,
// ujson and Protobuf, then encoding. 0: not given.
var addressBookTimes = map[int][6]float64{
	10:    {0, 8.02e-6, 7.54e-6, 1.394e-5, 4.64e-6, 9.07e-6},
	100:   {6.394e-5, 6.478e-5, 1.0418e-4, 1.1641e-4, 4.963e-5, 1.0579e-4},
	1000:  {8.192e-4, 6.069e-4, 7.077e-4, 1.0707e-3, 4.153e-4, 8.658e-4},
	2000:  {1.3718e-3, 1.1528e-3, 1.2685e-3, 2.1378e-3, 7.581e-4, 1.6305e-3},
	4000:  {2.7685e-3, 2.3406e-3, 2.4065e-3, 4.1164e-3, 1.6699e-3, 3.4450e-3},
	8000:  {5.8399e-3, 5.2790e-3, 4.8039e-3, 8.3821e-3, 3.3032e-3, 6.3776e-3},
	16000: {1.32841e-2, 1.19205e-2, 9.4324e-3, 1.74942e-2, 6.4465e-3, 1.23957e-2},
}

// pythonCodecs are those of the study, and pythonToday also those that came since.
var (
	pythonCodecs = [3]string{"python/json", "python/ujson", "python/protobuf"}
	pythonToday  = []string{"python/json", "python/ujson", "python/orjson", "python/msgspec", "python/protobuf"}
)

func init() {
	register(&Study{
		Name:     "address-book",
		Title:    "Growing lists in Python, and the same bytes in C++",
		Question: "At which size does Protobuf become faster than JSON in Python?",
		Setting: []string{
			"An address book entry with one to sixteen thousand telephone numbers is encoded and decoded in Python, by the standard library's json, by ujson and by Protobuf, a hundred times each. The largest one is then read by C++.",
		},
		Schema: `syntax = "proto2";
package tutorial;

message Person {
  required string name = 1;
  required int32 id = 2;
  optional string email = 3;
  enum PhoneType {
    MOBILE = 0;
    HOME = 1;
    WORK = 2;
  }
  message PhoneNumber {
    required string number = 1;
    optional PhoneType type = 2 [default = HOME];
  }
  repeated PhoneNumber phones = 4;
}
`,
		Payloads: addressBookPayloads(),
		Runs: []Run{
			{Name: "sizes", Payloads: each(phones, addressBook), SizesOnly: true},
			{
				Name: "python", Payloads: each(phones, addressBook), Runtimes: []string{"python"},
				Codecs: pythonCodecs[:], Operations: []bench.Operation{bench.Encode, bench.Decode, bench.Visit}, Time: 42 * time.Second,
			},
			{
				Name: "today", Payloads: each([]int{1000, 16000}, addressBook), Runtimes: []string{"python"}, Codecs: pythonToday,
				Operations: []bench.Operation{bench.Encode, bench.Visit}, Time: 12 * time.Second,
			},
			{
				Name: "c++", Payloads: []string{addressBook(16000)}, Runtimes: []string{"python", "cpp"},
				Codecs:     []string{"python/json", "python/ujson", "python/protobuf", "cpp/protobuf"},
				Operations: []bench.Operation{bench.Decode, bench.Visit}, Time: 10 * time.Second,
			},
			{
				Name: "other runtimes", Payloads: []string{addressBook(1000)}, Runtimes: []string{"chromium", "cpp", "firefox", "go", "java", "node", "rust"},
				Codecs: []string{
					"chromium/json", "chromium/protobufjs", "cpp/nlohmann", "cpp/protobuf", "firefox/json", "firefox/protobufjs", "go/encoding-json",
					"go/protobuf", "java/jackson2", "java/protobuf", "node/json", "node/protobufjs", "rust/serde-json", "rust/prost",
				},
				Operations: []bench.Operation{bench.Encode, bench.Visit}, Time: 4 * time.Second, Forks: 3,
			},
		},
		Figures: addressBookFigures(),
		Claims:  addressBookClaims(),
		Explanations: []Explanation{
			{"Decoding in Python is not all of it", lazyPython},
			{"Libraries of today", tellToday},
			{"The same document elsewhere", everywhere},
		},
		Differences: []string{
			"The text of the e-mail address is lost from the write-up; the sizes show that it has 11 characters, and so it has here.",
			"Sizes are of the text that json.dumps writes, with a blank after commas and colons. Codecs are timed on the same document without these blanks, as wirecost hands documents to all of them, which makes it a tenth shorter.",
			"At 10 phones the study's own table has Protobuf ahead of ujson in decoding, so the claim about small lists is tested from 100 phones on.",
			"Encoding starts from dictionaries for JSON and from a message for Protobuf, and ends with bytes for all.",
		},
	})
}

func addressBook(phones int) string { return "phones-" + strconv.Itoa(phones) }

func each(sizes []int, name func(int) string) []string {
	var out []string
	for _, n := range sizes {
		out = append(out, name(n))
	}
	return out
}

func addressBookPayloads() []Payload {
	var out []Payload
	for _, n := range phones {
		out = append(out, Payload{
			Name: addressBook(n), Message: "tutorial.Person", Count: 1, JSON: int64(60 + 38*n), Protobuf: int64(20 + 17*n),
			Document: func(int) []byte {
				phone := `{"number": "666 666 666", "type": 0}`
				list := bytes.TrimSuffix(bytes.Repeat([]byte(phone+", "), n), []byte(", "))
				return fmt.Appendf(nil, `{"name": "foo", "id": 1, "email": "foo@bar.com", "phones": [%s]}`, list)
			},
		})
	}
	return out
}

func inPython(codec string, op bench.Operation, n int) Measure {
	return Time(Cell{Run: "python", Sample: addressBook(n), Codec: codec, Operation: op})
}

// largest is the reading of 16,000 phones beside C++.
func largest(codec string, op bench.Operation) Measure {
	return Time(Cell{Run: "c++", Sample: addressBook(16000), Codec: codec, Operation: op})
}

func addressBookFigures() []Figure {
	var out []Figure
	for _, n := range phones {
		for _, form := range []struct {
			name, form string
			bytes      int
		}{{"JSON", "original", 60 + 38*n}, {"Protobuf", "binary", 20 + 17*n}} {
			out = append(out, Figure{
				Group: "size", Name: fmt.Sprintf("%s, %d phones", form.name, n), Published: float64(form.bytes), Unit: Bytes, Exact: true,
				Measured: SizeOf("sizes", addressBook(n), form.form, bench.Identity).Median(),
			})
		}
	}
	for i, op := range []bench.Operation{bench.Decode, bench.Encode} {
		for k, codec := range pythonCodecs {
			for _, n := range phones {
				if t := addressBookTimes[n][3*i+k]; t > 0 {
					out = append(out, Figure{
						Group: fmt.Sprintf("time to %s in Python", op), Name: fmt.Sprintf("%s, %d phones", codec, n), Published: t, Unit: Seconds,
						Measured: inPython(codec, op, n).Times(1e-9).Median(),
					})
				}
			}
		}
	}
	summary := func(name string, published float64, m Measure) Figure {
		return Figure{Group: "16,000 phones decoded, in short", Name: name, Published: published, Unit: Seconds, Measured: m.Median()}
	}
	return append(out,
		summary("C++ Protobuf, 100 times", 0.450, largest("cpp/protobuf", bench.Decode).Times(100e-9)),
		summary("C++ Protobuf", 4e-3, largest("cpp/protobuf", bench.Decode).Times(1e-9)),
		summary("Python Protobuf", 9e-3, largest("python/protobuf", bench.Decode).Times(1e-9)),
		summary("ujson", 11e-3, largest("python/ujson", bench.Decode).Times(1e-9)),
		summary("json", 13e-3, largest("python/json", bench.Decode).Times(1e-9)),
	)
}

func addressBookClaims() []Claim {
	var sizes, encoding []Part
	for _, n := range phones {
		sizes = append(sizes,
			Exact{fmt.Sprintf("JSON of %d phones", n), float64(60 + 38*n), Bytes, SizeOf("sizes", addressBook(n), "original", bench.Identity)},
			Exact{fmt.Sprintf("Protobuf of %d phones", n), float64(20 + 17*n), Bytes, SizeOf("sizes", addressBook(n), "binary", bench.Identity)})
		json, ujson, protobuf := inPython("python/json", bench.Encode, n), inPython("python/ujson", bench.Encode, n), inPython("python/protobuf", bench.Encode, n)
		encoding = append(encoding,
			Ratio{What: fmt.Sprintf("ujson to json, %d phones", n), Of: ujson, To: json, Less: true},
			Ratio{What: fmt.Sprintf("ujson to Protobuf, %d phones", n), Of: ujson, To: protobuf, Less: true})
		if n >= 100 {
			encoding = append(encoding, Ratio{What: fmt.Sprintf("Protobuf to json, %d phones", n), Of: protobuf, To: json, Less: true})
		}
	}
	order := func(what, codec string, published float64) Ratio {
		return Ratio{What: what, Of: largest(codec, bench.Decode), To: largest("cpp/protobuf", bench.Decode), Published: published}
	}
	return []Claim{
		{"1", "JSON takes 60 + 38·n bytes for n phones, and Protobuf 20 + 17·n", sizes},
		{"2", "Decoding: ujson wins for small lists, Protobuf from about 8000 phones", []Part{crossing(bench.Decode)}},
		{"3", "Encoding: ujson is fastest at every size; Protobuf beats the standard json from 100 phones on", encoding},
		{"4", "16,000 phones decoded: C++ Protobuf, Python Protobuf, ujson, json take 1 : 2.25 : 2.75 : 3.25", []Part{
			order("Python Protobuf to C++ Protobuf", "python/protobuf", 2.25),
			order("ujson to C++ Protobuf", "python/ujson", 2.75),
			order("json to C++ Protobuf", "python/json", 3.25),
			Ratio{What: "Python Protobuf to ujson", Of: largest("python/protobuf", bench.Decode), To: largest("python/ujson", bench.Decode), Published: 2.25 / 2.75, Less: true},
			Ratio{What: "ujson to json", Of: largest("python/ujson", bench.Decode), To: largest("python/json", bench.Decode), Published: 2.75 / 3.25, Less: true},
		}},
	}
}

// crossing is where Protobuf overtakes ujson.
func crossing(op bench.Operation) Crossing {
	return Crossing{
		What: fmt.Sprintf("ujson and Protobuf change places (%s)", op), Sizes: phones[1:], From: 4000, To: 8000, Unit: "phones",
		A: func(n int) Measure { return inPython("python/ujson", op, n) },
		B: func(n int) Measure { return inPython("python/protobuf", op, n) },
	}
}
