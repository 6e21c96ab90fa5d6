package sample

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"wirecost/internal/strictjson"
)

// eachString replaces the strings of a value, keys and empty ones aside. n counts
// them over documents.
func eachString(v strictjson.Value, n *int, replace func(text string, n int) string) strictjson.Value {
	switch v.Kind {
	case strictjson.String:
		if v.Text != "" {
			v.Text = replace(v.Text, *n)
			*n++
		}
	case strictjson.Array:
		elems := make([]strictjson.Value, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = eachString(e, n, replace)
		}
		v.Elems = elems
	case strictjson.Object:
		members := make([]strictjson.Member, len(v.Members))
		for i, m := range v.Members {
			members[i] = strictjson.Member{Key: m.Key, Value: eachString(m.Value, n, replace)}
		}
		v.Members = members
	}
	return v
}

// wording is what changers of strings have in common.
type wording struct {
	docs   []parsed
	before []int // strings in the documents before each
	has    []bool
	total  int
	bytes  int
	ascii  int
}

var errNoStrings = errors.New("no document has a string that is not empty; name an array, or nothing for the largest")

func newWording(docs []parsed) (wording, error) {
	t := wording{docs: docs}
	for _, d := range docs {
		t.before = append(t.before, t.total)
		n := t.total
		eachString(d.value, &t.total, func(s string, _ int) string {
			t.bytes += len(s)
			if isASCII(s) {
				t.ascii++
			}
			return s
		})
		t.has = append(t.has, t.total > n)
	}
	if t.total == 0 {
		return t, errNoStrings
	}
	return t, nil
}

func (t wording) takes(index int) bool { return t.has[index] }

func (t wording) each(index int, replace func(text string, n int) string) strictjson.Value {
	n := t.before[index]
	return eachString(t.docs[index].value, &n, replace)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lengths makes every string so many bytes long.
type lengths struct {
	wording
	target string
}

func newLengths(target string, docs []parsed) (*lengths, error) {
	t, err := newWording(docs)
	return &lengths{t, target}, err
}

// alphabets are characters beyond ASCII of two and of four bytes. No two-byte one
// is in Latin-1: a runtime may keep that in one byte a character.
var alphabets = map[string][]rune{
	sweepString2: []rune("αβγδεζηθικλμνξοπρστυφχψω"),
	sweepString4: []rune("𐍈𐌰𐌱𐌲𐌳𐌴𐌵𐌶𐌷𐌸𐌹𐌺𐌻𐌼𐌽𐌾𐌿𐍀𐍂𐍃𐍄𐍅𐍆𐍇"),
}

func (l *lengths) change(index, value int) strictjson.Value {
	return l.each(index, func(s string, n int) string {
		letters, from := alphabets[l.target], n
		if letters == nil {
			letters, from = []rune(s), 0
		}
		out := make([]byte, 0, value)
		for i := from; ; i++ {
			r := letters[i%len(letters)]
			if len(out)+utf8.RuneLen(r) > value {
				break
			}
			out = utf8.AppendRune(out, r)
		}
		for len(out) < value {
			out = append(out, 'x')
		}
		return string(out)
	})
}

func (l *lengths) estimate(index, value int) int64 {
	n := l.total - l.before[index]
	if index+1 < len(l.before) {
		n = l.before[index+1] - l.before[index]
	}
	return int64(n) * int64(value)
}

func (l *lengths) about() (what, unit string, from float64) {
	what = map[string]string{sweepString2: "strings of two-byte characters", sweepString4: "strings of four-byte characters"}[l.target]
	if what == "" {
		what = "strings"
	}
	return what, unitBytes, float64(l.bytes) / float64(l.total)
}

func (l *lengths) notes(_, value int) []string {
	return []string{
		fmt.Sprintf("each string that is not empty, %s in all, has %s instead of %.1f on average; times, identifiers and enumerations among them lose their form",
			fmt.Sprint(l.total), count(value, "byte", "bytes"), float64(l.bytes)/float64(l.total)),
		"text is repeated to that length: compressed sizes are better than those of real text",
	}
}

// letters makes a share of the strings all ASCII, and gives each of the others a
// letter beyond it.
type letters struct{ wording }

func newLetters(docs []parsed) (*letters, error) {
	t, err := newWording(docs)
	return &letters{t}, err
}

// beyond is a letter beyond ASCII, and beyond Latin-1: a runtime may keep that in
// one byte a character.
const beyond = "Ω"

func (l *letters) change(index, value int) strictjson.Value {
	return l.each(index, func(s string, n int) string {
		// Spread evenly: of any hundred strings in a row, value are ASCII.
		if (n+1)*value/100 > n*value/100 {
			return toASCII(s)
		}
		if !isASCII(s) {
			return s
		}
		middle := len(s) / 2
		return s[:middle] + beyond + s[middle+1:]
	})
}

// toASCII replaces every character beyond ASCII by a letter.
func toASCII(s string) string {
	if isASCII(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r >= utf8.RuneSelf {
			r = 'a' + r%26
		}
		out = append(out, byte(r))
	}
	return string(out)
}

func (l *letters) estimate(index, _ int) int64 { return int64(len(l.docs[index].Data)) }

func (l *letters) about() (what, unit string, from float64) {
	return "strings", unitASCII, 100 * float64(l.ascii) / float64(l.total)
}

func (l *letters) notes(_, value int) []string {
	return []string{fmt.Sprintf("%d%% of %s are ASCII, and each of the others has a letter beyond it; it was %.0f%%", value, count(l.total, "string", "strings"), 100*float64(l.ascii)/float64(l.total))}
}
