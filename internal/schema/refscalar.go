package schema

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"wirecost/internal/strictjson"
)

var kindNames = map[Kind]string{
	KindBool: "true or false", KindInt32: "a 32-bit integer", KindInt64: "a 64-bit integer", KindUint32: "an unsigned 32-bit integer",
	KindUint64: "an unsigned 64-bit integer", KindFloat: "a number", KindDouble: "a number", KindString: "a string",
	KindBytes: "a base64 string", KindEnum: "a value's name", KindNull: "null", KindTimestamp: "an RFC 3339 time with zone", KindDuration: `a duration as "1.5s"`,
}

func kindName(k Kind) string { return kindNames[k] }

// wantedWhole says what JSON value a field takes.
func (f *refField) wantedWhole() string {
	switch f.Label {
	case LabelList:
		return "an array"
	case LabelMap:
		return "an object"
	}
	return f.wanted()
}

// wanted says what a field's single value is in JSON, or an element or entry.
func (f *refField) wanted() string {
	switch f.Repr {
	case ReprString:
		return "a string with " + strings.Replace(kindName(f.Kind), "a value's name", "a value's number", 1)
	case ReprNumber:
		return "a number"
	case ReprHex:
		return "a string of hexadecimal digits"
	case ReprUUID:
		return "a UUID"
	}
	if f.Kind == KindMessage {
		return "an object"
	}
	return kindName(f.Kind)
}

// number reads an integer or a floating-point number, in the field's spelling.
func (d *docDecoder) number(f *refField, k strictjson.Kind) (protoreflect.Value, bool) {
	want := strictjson.Number
	if f.Repr == ReprString {
		want = strictjson.String
	}
	text := d.scan.Text
	switch {
	case k == want && k == strictjson.String:
		text = d.content()
	case k == want:
	case k == strictjson.String && !isInteger(f.Kind) && isNonFinite(d.scan.Text): // ProtoJSON's spelling
	default:
		d.mismatch(k, f.wanted())
		return protoreflect.Value{}, false
	}
	v, what := parseNumber(f.Kind, text)
	if what != "" {
		d.fail(d.scan.Start, "should be %s, is %s%s", f.wanted(), d.shown(k), what)
	}
	return v, what == ""
}

func isNonFinite(text []byte) bool {
	return string(text) == "NaN" || string(text) == "Infinity" || string(text) == "-Infinity"
}

// parseNumber reads a JSON number's text, or ProtoJSON's words for what is not
// finite. On failure the second result says more, for the end of a sentence.
func parseNumber(k Kind, text []byte) (protoreflect.Value, string) {
	if !isInteger(k) {
		return parseFloat(k, text)
	}
	if !isIntegerText(text) {
		return protoreflect.Value{}, ", which is not written as an integer"
	}
	const outside = ", which is out of range"
	switch k {
	case KindInt32:
		if n, err := strconv.ParseInt(string(text), 10, 32); err == nil {
			return protoreflect.ValueOfInt32(int32(n)), ""
		}
	case KindInt64:
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return protoreflect.ValueOfInt64(n), ""
		}
	case KindUint32:
		if n, err := strconv.ParseUint(unsignedText(text), 10, 32); err == nil {
			return protoreflect.ValueOfUint32(uint32(n)), ""
		}
	case KindUint64:
		if n, err := strconv.ParseUint(unsignedText(text), 10, 64); err == nil {
			return protoreflect.ValueOfUint64(n), ""
		}
	}
	return protoreflect.Value{}, outside
}

// unsignedText takes the sign off "-0".
func unsignedText(text []byte) string {
	if string(text) == "-0" {
		return "0"
	}
	return string(text)
}

// isIntegerText reports whether text is a JSON number without fraction and exponent.
func isIntegerText(text []byte) bool {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func parseFloat(k Kind, text []byte) (protoreflect.Value, string) {
	size := 64
	if k == KindFloat {
		size = 32
	}
	var v float64
	switch string(text) {
	case "NaN":
		v = math.NaN()
	case "Infinity":
		v = math.Inf(1)
	case "-Infinity":
		v = math.Inf(-1)
	default:
		if !isNumberText(text) {
			return protoreflect.Value{}, ", which is no number"
		}
		var err error
		if v, err = strconv.ParseFloat(string(text), size); err != nil {
			return protoreflect.Value{}, ", which is out of range"
		}
	}
	if size == 32 {
		return protoreflect.ValueOfFloat32(float32(v)), ""
	}
	return protoreflect.ValueOfFloat64(v), ""
}

// isNumberText reports whether text is a JSON number; it may come from a string.
func isNumberText(text []byte) bool {
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	var s strictjson.Scanner
	s.Reset(text, strictjson.Limits{})
	return s.Value() == strictjson.Number && s.Pos() == len(text)
}

// exactDouble reads the number at hand for a Value, which holds doubles only.
func (d *docDecoder) exactDouble() (float64, bool) {
	text := string(d.scan.Text)
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		d.fail(d.scan.Start, "the number %s is out of a double's range", cutText(text))
		return 0, false
	case !d.scan.Float && len(text) > 15 && !isExact(text, v):
		d.fail(d.scan.Start, "the integer %s would be rounded: google.protobuf.Value holds doubles only", cutText(text))
		return 0, false
	}
	return v, true
}

// isExact reports whether an integer's text is exactly that double.
func isExact(text string, v float64) bool {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return false
	}
	f, accuracy := new(big.Float).SetFloat64(v).Int(nil)
	return accuracy == big.Exact && f.Cmp(n) == 0
}

// enum reads a value's name or number, in the field's spelling. A number without
// a name is written as a number, also where names are used.
func (d *docDecoder) enum(f *refField, k strictjson.Kind) (protoreflect.Value, bool) {
	text := d.scan.Text
	if k == strictjson.String {
		text = d.content()
	}
	if k == strictjson.String && f.Repr == ReprNative {
		if n, ok := f.names[string(text)]; ok {
			return protoreflect.ValueOfEnum(n), true
		}
		d.mismatch(k, "one of the names of "+f.Type)
		return protoreflect.Value{}, false
	}
	want := strictjson.Number
	if f.Repr == ReprString {
		want = strictjson.String
	}
	if k == want && isIntegerText(text) {
		n, err := strconv.ParseInt(string(text), 10, 32)
		_, known := f.numbers[protoreflect.EnumNumber(n)]
		if err == nil && (known || !f.closed) && (f.Repr != ReprNative || !known) {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), true
		}
	}
	d.mismatch(k, f.wanted())
	return protoreflect.Value{}, false
}

// special reads the string at hand as bytes, a timestamp or a duration.
func (d *docDecoder) special(f *refField) (protoreflect.Value, bool) {
	text := string(d.content())
	if f.Kind == KindBytes {
		b, ok := parseBytes(f.Repr, text)
		if !ok {
			d.mismatch(strictjson.String, f.wanted())
		}
		return protoreflect.ValueOfBytes(b), ok
	}
	parse := parseTimestamp
	if f.Kind == KindDuration {
		parse = parseDuration
	}
	seconds, nanos, ok := parse(text)
	if !ok {
		d.mismatch(strictjson.String, f.wanted())
		return protoreflect.Value{}, false
	}
	m := dynamicpb.NewMessage(f.special.desc)
	if seconds != 0 {
		m.Set(f.special.seconds, protoreflect.ValueOfInt64(seconds))
	}
	if nanos != 0 {
		m.Set(f.special.nanos, protoreflect.ValueOfInt32(nanos))
	}
	return protoreflect.ValueOfMessage(m), true
}

// parseBytes reads bytes. Base64 may use the URL's letters and lack padding, as
// ProtoJSON allows; the loss report lists what is spelt so.
func parseBytes(r Repr, text string) ([]byte, bool) {
	switch r {
	case ReprHex:
		b, err := hex.DecodeString(text)
		return b, err == nil
	case ReprUUID:
		if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
			return nil, false
		}
		b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		return b, err == nil && len(b) == 16
	}
	if b, err := base64.StdEncoding.Strict().DecodeString(text); err == nil && !strings.ContainsAny(text, "\r\n") {
		return b, true
	}
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	b, err := base64.RawStdEncoding.Strict().DecodeString(plain)
	return b, err == nil && !strings.ContainsAny(text, "\r\n")
}

// parseMapKey reads a map key; all keys are strings in JSON.
func parseMapKey(k Kind, text string) (protoreflect.MapKey, bool) {
	switch k {
	case KindString:
		return protoreflect.ValueOfString(text).MapKey(), true
	case KindBool:
		return protoreflect.ValueOfBool(text == "true").MapKey(), text == "true" || text == "false"
	}
	v, what := parseNumber(k, []byte(text))
	if what != "" {
		return protoreflect.ValueOfString("").MapKey(), false
	}
	return v.MapKey(), true
}
