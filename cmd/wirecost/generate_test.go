package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
)

// generators make the inputs that are too large, or too odd, to stand in a script.
var generators = map[string]func() []byte{
	"maps": maps,
	"byte-array": func() []byte {
		return []byte(`{"digest":[` + numbers(32, func(i int) int { return i * 7 % 256 }) + `]}`)
	},
	"deltas": func() []byte {
		pattern := []int{-1, -2, -1, 0, -3, -1}
		return []byte(`{"deltas":[` + numbers(10_000, func(i int) int { return pattern[i%len(pattern)] }) + `]}`)
	},
	"series":         series,
	"free":           free,
	"brackets":       func() []byte { return bytes.Repeat([]byte("["), 100_000) },
	"open-objects":   func() []byte { return bytes.Repeat([]byte(`[{"":`), 50_000) },
	"long":           func() []byte { return []byte(`{"a":"` + strings.Repeat("x", 70<<20) + `"}`) },
	"bomb":           func() []byte { return zipped([]byte(`{"a":"` + strings.Repeat("x", 300<<20) + `"}`)) },
	"zipped-twice":   func() []byte { return zipped(zipped([]byte(`{"a":1}`))) },
	"bad-value":      func() []byte { return []byte("{\"a\":\"\xff\"}") },
	"bad-key":        func() []byte { return []byte("{\"\xc0\x80\":1}") },
	"surrogate-byte": func() []byte { return []byte("{\"a\":\"\xed\xa0\x80\"}") },
	"bom-crlf":       func() []byte { return []byte("\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"a\":2}") },
	"utf-16":         utf16LE,
	"many-keys":      func() []byte { return fields(20_500, `"name%d":%[1]d`) },
	"many-fields":    func() []byte { return fields(30_000, `"f%d":%[1]d`) },
	"proto":          proto,
	"hostile":        hostile,
}

// generate is the script command "generate NAME FILE".
func generate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || generators[args[0]] == nil {
		ts.Fatalf("usage: generate NAME FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), generators[args[0]](), 0o644))
}

// fields makes an object of n members after a pattern.
func fields(n int, pattern string) []byte {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(pattern, i)
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

func numbers(n int, f func(i int) int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(f(i))
	}
	return strings.Join(list, ",")
}

// maps is the input of case D06.
func maps() []byte {
	pairs := fields(60, `"k%d_k":{"lo":0.1,"n":3}`)
	pairs = bytes.Replace(pairs, []byte(`"n":3`), []byte(`"n":3.5`), 20)
	return fmt.Appendf(nil, `{"pairs":%s,"few":{"7":1,"9":2},"i18n":%s}`, pairs, fields(300, `"help.k%d":"Help"`))
}

// series is the input of case D21: labels that repeat, 2000 times.
func series() []byte {
	var b strings.Builder
	b.WriteString(`{"series":[`)
	for i := range 2000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"labels":[{"name":"job","value":"api"},{"name":"instance","value":"h%d:90"}],"samples":[{"v":1.5,"t":%d}]}`, i%10, 1700000000000+i)
	}
	return []byte(b.String() + "]}")
}

// free is the input of case D25: 20 documents with a tree of 5 levels whose keys differ.
func free() []byte {
	r := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	var tree func(level int)
	tree = func(level int) {
		if level == 0 {
			b.WriteString([]string{"1", `"s"`, "true", "null", "2.5", `[1,2,{"z":"s"}]`}[r.IntN(6)])
			return
		}
		for i := range 3 {
			fmt.Fprintf(&b, `%c"k%d_%d":`, "{,,"[i], i, r.IntN(300))
			tree(level - 1)
		}
		b.WriteByte('}')
	}
	for i := range 20 {
		fmt.Fprintf(&b, `{"run":"r%d","node":`, i)
		tree(5)
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

func utf16LE() []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(`{"a":1}`)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// proto is a schema of 30,000 fields, for the documents "many-fields".
func proto() []byte {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\nmessage M {\n")
	for i := range 30_000 {
		n := i + 1
		if n >= 19_000 { // 19000 to 19999 are reserved
			n += 1000
		}
		fmt.Fprintf(&b, "  int32 f%d = %d;\n", i, n)
	}
	return []byte(b.String() + "}\n")
}

// hostile is a document whose keys and values would break out of whatever they
// are pasted into unescaped.
func hostile() []byte {
	return []byte(`{"../../x":1,"\"; rm -rf":2,"*/":3,"\"\"\"":4,"a\nb":5,"__proto__":6,"constructor":7,"` + strings.Repeat("k", 10_000) + `":8,` +
		"\"`\":9,\"${x}\":10,\"{{.}}\":11,\"\\\\\":12,\"\\u0000\":13,\"\\u2028\":14,\"é\":15,\"😀\":16,\"A\":17,\"a\":18,\"google\":19,\"wirecost\":20,\"package\":21,\"func\":22," +
		`"<script>alert(1)</script>":"<img src=x onerror=alert(1)>|` + "`*_[x](y)" + `\n\u001b[31mred","oddKey":{"x/*":{"y":1}},"odd":[{"]":1}]}`)
}
