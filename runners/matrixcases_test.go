package runners_test

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// matrixInput is an input that was reported to go wrong somewhere: a sample.
type matrixInput struct {
	name      string
	documents []string
}

// matrixSome repeats a pattern: each is called with 0, 1, …
func matrixSome(n int, each func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = each(i)
	}
	return strings.Join(parts, ",")
}

// matrixInputs are the speed and inference inputs of CASES.md, by number, at sizes
// that keep the trait.
func matrixInputs() []matrixInput {
	one := func(name string, documents ...string) matrixInput { return matrixInput{name, documents} }
	return []matrixInput{
		one("d03", `{"r":[{"i":6},{"i":"6em"},{"zip":"00501"},{"zip":"90210"},{"flag":"true"}]}`),
		one("d04", `{"x":null,"e":{}}`, `{"x":[],"e":{"f":{}}}`, `{"x":["a"],"e":{}}`, `{"x":null,"r":{"k":1}}`, `{"r":"text"}`),
		one("d05", `{"big":9223372036854775807,"bigger":700000000000000000000000000007,"u":18446744073709551615}`),
		one("d06", fmt.Sprintf(`{"pairs":{%s},"few":{"7":1,"9":2},"i18n":{%s}}`,
			matrixSome(60, func(i int) string { return fmt.Sprintf(`"k%c%c_bb":{"lo":0.1,"n":%d.5}`, 'a'+i/26, 'a'+i%26, i) }),
			matrixSome(300, func(i int) string { return fmt.Sprintf(`"help.t%d":"Help %d"`, i, i) }))),
		one("d08", `{"7":"x","8":"y","q":{"s":{"t":1}},"q1":{"r":{"t":1}},"s":{"q":{"t":2}},"rack_no":"n"}`),
		one("d09", `{"traceId":"0af1c2d3e4b5968778695a4b3c2d1e0f"}`),
		one("d10", `{"descriptor":"d","class":"c","from":"f","message":"m","None":1,"std":{"int":1},"__proto__":2,"constructor":3,"hasOwnProperty":4}`),
		one("d11-list", `[{"id":1},{"id":2}]`),
		one("d11-map", `{"/a":[{"m":"GET"}],"/b":[{"m":"PUT"},{"m":"POST"}]}`),
		one("d12", `{"messageId":"m","message_id":"n"}`),
		one("d13", `{"code":"204518","d":"2024-02-30","t1":"2024-05-01T10:00:00","t2":"2024-05-01T10:00:00+02:30","t3":"2024-05-01T10:00:00.123456789Z","obj":{"seconds":1,"nanos":5}}`),
		one("d19", fmt.Sprintf(`{"digest":[%s]}`, matrixSome(32, func(i int) string { return fmt.Sprint(i * 7 % 256) }))),
		one("d20", `{"type":"MultiPolygon","coordinates":[[[[8.4012,46.2034],[8.4013,46.2035],[8.4012,46.2034]]]]}`),
		one("d21", fmt.Sprintf(`{"series":[%s]}`, matrixSome(50, func(i int) string {
			return fmt.Sprintf(`{"labels":[{"name":"job","value":"api"},{"name":"instance","value":"h%d:90"}],"samples":[{"v":1.5,"t":170000000%04d}]}`, i, i)
		}))),
		one("d22", fmt.Sprintf(`{"deltas":[%s]}`, matrixSome(200, func(i int) string { return fmt.Sprint(i%5 - 3) }))),
		one("d23", fmt.Sprintf(`{"records":[%s]}`, matrixSome(100, func(i int) string {
			return fmt.Sprintf(`{"name":"n%d","role":"r","ports":[1,2,%d],"labels":{"k":"v"}}`, i, i)
		}))),
		one("d24", `{"id":1,"result":{"data":{"input":"hello"},"info":{"user":"42","client":"c1"}}}`),
		one("d25", `{"run":"r1","node":{"a":{"b":{"c":{"x":1,"y":[1,2,{"z":"s"}]}}}}}`, `{"run":"r2","node":{"a":[1,"s"],"k1":{"k2":[{"k3":null},7]}}}`),
		one("d26-ascii", `{"uri":"http://x/y.mp4","title":"plain ascii","w":640,"h":480,"persons":["Ann","Bob"]}`),
		one("d26-beyond", `{"uri":"http://x/ÿ.mp4","title":"plaïn ascii","w":640,"h":480,"persons":["Änn","Bób"]}`),
		one("d27", matrixBlobs(100, 1000, 6000)...),
		one("d28", `{"tx":"t1","body":{"v":1.25,"day":"2016-08-01","cur":"EUR"}}`),
		one("d29", fmt.Sprintf(`{"outer":[%s]}`, matrixSome(10, func(int) string {
			return fmt.Sprintf(`{"items":[%s]}`, matrixSome(70, func(i int) string { return fmt.Sprintf(`{"a":3,"b":0,"c":17,"d":2,"e":%d}`, i%10) }))
		}))),
		one("d30", matrixTexts(8, 16, 32, 64, 128, 256, 4096)...),
		one("d31", fmt.Sprintf(`{"entries":{%s}}`, matrixSome(2000, func(i int) string { return fmt.Sprintf(`"%d":%d.0`, i, i) }))),
		one("d32", fmt.Sprintf(`{"shape":[100,3,4],"data":[%s]}`, matrixSome(1200, func(i int) string { return fmt.Sprint(0.25 * float64(i+1)) }))),
		one("d33", strings.Repeat(`{"schema":{"properties":`, 12)+`{"kind":"Crd"}`+strings.Repeat(`}}`, 12)),
		one("h8", `{"a":[-0.0,0.1,1e-400,5e-324,1.7976931348623157e308,9007199254740993,-9223372036854775808]}`),
	}
}

// matrixBlobs hold base64 of so many bytes.
func matrixBlobs(sizes ...int) []string {
	var out []string
	for _, n := range sizes {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i * i >> 3)
		}
		out = append(out, fmt.Sprintf(`{"path":"/tmp/x","data":%q}`, base64.StdEncoding.EncodeToString(data)))
	}
	return out
}

// matrixTexts hold a string of so many bytes: of one-, two- and four-byte characters.
func matrixTexts(sizes ...int) []string {
	var out []string
	for _, char := range []string{"a", "é", "😀"} {
		for _, n := range sizes {
			out = append(out, fmt.Sprintf(`{"text":"%s"}`, strings.Repeat(char, n/len(char))))
		}
	}
	return out
}
