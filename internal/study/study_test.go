package study

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wirecost/internal/report"
	"wirecost/internal/schema"
	"wirecost/internal/strictjson"
	"wirecost/internal/testenv"
)

// TestPayloads: every generator gives the bytes it is known for, and the reference
// makes as many of them in Protobuf as it is known for.
func TestPayloads(t *testing.T) {
	for _, s := range All() {
		dir := t.TempDir()
		if err := s.Write(dir); err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		for _, p := range s.Payloads {
			t.Run(s.Name+"/"+p.Name, func(t *testing.T) {
				text, err := os.ReadFile(filepath.Join(dir, p.file()))
				if err != nil {
					t.Fatal(err)
				}
				json, protobuf := reference(t, filepath.Join(dir, schemaFile), p, text)
				if protobuf != p.Protobuf {
					t.Errorf("%d bytes of Protobuf, want %d", protobuf, p.Protobuf)
				}
				if s.Name != "address-book" && json != p.JSON { // which has blanks
					t.Errorf("the reference writes %d bytes of JSON, want %d", json, p.JSON)
				}
			})
		}
	}
}

// reference gives the bytes of all documents as the reference writes them.
func reference(t *testing.T, file string, p Payload, text []byte) (json, protobuf int64) {
	t.Helper()
	compiled, err := schema.Compile(t.Context(), schema.Source{File: file, Message: p.Message})
	if err != nil {
		t.Fatal(err)
	}
	if compiled, err = compiled.WithRoots(map[string]string{p.Name: ""}); err != nil {
		t.Fatal(err)
	}
	compiled.Limits = strictjson.Limits{Document: 64 << 20}
	docs := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	fit, err := compiled.Fit(p.Name, docs, schema.FitOptions{})
	if err != nil || fit.Err() != nil {
		t.Fatal(err, fit.Err())
	}
	ref, err := compiled.Reference(p.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		m, err := ref.FromJSON(doc)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ref.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ref.ToJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		json, protobuf = json+int64(len(back)), protobuf+int64(len(b))
	}
	return json, protobuf
}

func TestSizesOfTheStudies(t *testing.T) {
	book := studies[slices.IndexFunc(studies, func(s *Study) bool { return s.Name == "address-book" })]
	for i, n := range []int64{10, 100, 1000, 2000, 4000, 8000, 16000} {
		if p := book.Payloads[i]; p.JSON != 60+38*n || p.Protobuf != 20+17*n {
			t.Errorf("%s: %d and %d bytes", p.Name, p.JSON, p.Protobuf)
		}
	}
}

// TestGeneratorMustKeepItsSize: another text than the known one is an error.
func TestGeneratorMustKeepItsSize(t *testing.T) {
	s := &Study{Payloads: []Payload{{Name: "x", Count: 2, JSON: 5, Document: func(int) []byte { return []byte("{}") }}}}
	if err := s.Write(t.TempDir()); err == nil || !strings.Contains(err.Error(), "gave 4 bytes instead of 5") {
		t.Error(err)
	}
}

// TestStudiesAreWhole: what figures, claims and runs refer to is there.
func TestStudiesAreWhole(t *testing.T) {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
		for _, run := range s.Runs {
			for _, p := range run.Payloads {
				if !slices.ContainsFunc(s.Payloads, func(x Payload) bool { return x.Name == p }) {
					t.Errorf("%s: the run %s is of %s, which is no payload", s.Name, run.Name, p)
				}
			}
		}
		page := NewPage(s, publishedWorld().measure(t, s))
		for i, n := range page.Measured {
			if !n.Known() {
				t.Errorf("%s: nothing stands beside %s %s: %s", s.Name, s.Figures[i].Group, s.Figures[i].Name, n.Problem)
			}
		}
		for _, c := range page.Decided {
			for _, f := range c.Findings {
				if f.Unmeasured {
					t.Errorf("%s, claim %s: %s: %s", s.Name, c.ID, f.Statement, f.Reason)
				}
			}
		}
		for i, told := range page.Told {
			if text := strings.Join(told.Text, " "); text == "" || strings.Contains(text, "Not known here") || strings.Contains(text, "%!") {
				t.Errorf("%s: %s: %q", s.Name, s.Explanations[i].Title, text)
			}
			if slices.Contains(told.Text, "") {
				t.Errorf("%s: %s has an empty paragraph", s.Name, s.Explanations[i].Title)
			}
		}
		if !page.Complete() {
			t.Errorf("%s is not complete", s.Name)
		}
	}
	if want := []string{"address-book", "go-redis", "people-http", "small-message"}; !slices.Equal(names, want) {
		t.Errorf("there are the studies %q, want %q", names, want)
	}
}

// number is one as it is written in the list of what was published.
var number = regexp.MustCompile(`\d[\d,]*(\.\d+)?(e-\d+)?`)

// TestEveryPublishedFigureIsThere walks the tables of what was published.
func TestEveryPublishedFigureIsThere(t *testing.T) {
	text, err := os.ReadFile("../../../shared/STUDIES.md")
	if err != nil {
		testenv.Skip(t, "needs ../shared/STUDIES.md: not here")
	}
	parts := regexp.MustCompile("(?m)^## \\d · `([a-z-]+)`").FindAllSubmatchIndex(text, -1)
	if len(parts) != len(All()) {
		t.Fatalf("%d studies in the list", len(parts))
	}
	for i, at := range parts {
		end := len(text)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		s, err := Named([]string{string(text[at[2]:at[3]])})
		if err != nil {
			t.Fatal(err)
		}
		published := publishedNumbers(string(text[at[0]:end]))
		if len(published) < 4 {
			t.Fatalf("%s: %d published numbers", s[0].Name, len(published))
		}
		for _, x := range published {
			if !slices.ContainsFunc(s[0].Figures, func(f Figure) bool { return same(f, x) }) {
				t.Errorf("%s: the published %v is no figure of it", s[0].Name, x)
			}
		}
	}
}

// publishedNumbers are those of tables, and of the sentences that publish.
func publishedNumbers(text string) []float64 {
	_, text, _ = strings.Cut(text, "**Published")
	text, _, _ = strings.Cut(text, "**Claims")
	var out []float64
	for line := range strings.Lines(text) {
		switch cells := strings.Split(line, "|"); {
		case strings.HasPrefix(line, "|") && len(cells) > 2:
			line = strings.Join(cells[2:], "|")
			if _, err := strconv.Atoi(strings.TrimSpace(cells[1])); err != nil && strings.Contains(line, "bytes") {
				continue // a header
			}
		case strings.HasPrefix(line, "Summary for 16,000: "):
			line = strings.TrimPrefix(line, "Summary for 16,000: ")
		case strings.HasPrefix(line, "** (Apple M3 Pro, ns/op)"):
			_, line, _ = strings.Cut(line, "): ")
		default:
			continue
		}
		for _, s := range number.FindAllString(strings.ReplaceAll(line, "C++ 4", "4"), -1) {
			if x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64); err == nil {
				out = append(out, x)
			}
		}
	}
	return out
}

// same reports whether a figure is a number in one of the units that it is written in.
func same(f Figure, x float64) bool {
	for _, unit := range []float64{1, 1e-3, 1e6} {
		if f.Published > 0 && x*unit/f.Published > 1-1e-9 && x*unit/f.Published < 1+1e-9 {
			return true
		}
	}
	return false
}

func TestNamed(t *testing.T) {
	for names, want := range map[string]string{"all": "address-book go-redis people-http small-message", "small-message go-redis": "go-redis small-message", "all go-redis": "address-book go-redis people-http small-message"} {
		chosen, err := Named(strings.Fields(names))
		var got []string
		for _, s := range chosen {
			got = append(got, s.Name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", names, got, err)
		}
	}
	if _, err := Named([]string{"nosuch"}); err == nil || !strings.Contains(err.Error(), "there are address-book, go-redis") {
		t.Error(err)
	}
}

func TestArgs(t *testing.T) {
	s, _ := Named([]string{"small-message"})
	got := strings.Join(s[0].Args(s[0].Runs[0], "d", false), " ")
	for _, want := range []string{
		"--schema=" + filepath.Join("d", "schema.proto"), "--message=sample.SampleMessage", "--root=timestamp=sample.ProtoMessage", "--encoding=identity",
		"--runtime=go", "--op=encode,decode", "--max-time=20s -- " + filepath.Join("d", "int64.json") + " " + filepath.Join("d", "timestamp.json"),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	s, _ = Named([]string{"people-http"})
	for full, want := range map[bool]string{false: "--server=java --max-time=1m10s --max-forks=7 --", true: "--over=http --server=java --max-time=15m0s --"} {
		if got := strings.Join(s[0].Args(s[0].Runs[3], "d", full), " "); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// TestWithoutARuntime: what cannot be measured is left out with the reason, and is no zero.
func TestWithoutARuntime(t *testing.T) {
	w := publishedWorld()
	w.lacks = "cpp"
	s, _ := Named([]string{"address-book"})
	page := NewPage(s[0], w.measure(t, s[0]))
	if page.Complete() {
		t.Error("it is said to be complete")
	}
	if d := page.Decided[3]; d.Outcome != Undecided || !strings.Contains(d.deciding().Reason, "cpp was not ready") {
		t.Errorf("claim 4 %s: %+v", d.Outcome, d.deciding())
	}
	if d := page.Decided[1]; d.Outcome != Holds {
		t.Errorf("claim 2 %s", d.Outcome)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, []*Page{page}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"reason": "cpp was not ready: wirecost doctor says what it lacks"`) || !strings.Contains(b.String(), `"measured": null`) {
		t.Error("the reason, or the missing number, is not in the JSON form")
	}
	none := NewResults()
	for _, run := range s[0].Runs {
		none.Missing(run.Name, "nothing can be measured")
	}
	if page := NewPage(s[0], none); page.Complete() || page.Decided[0].Outcome != Undecided {
		t.Errorf("without results, claim 1 %s", page.Decided[0].Outcome)
	}
}

func TestForms(t *testing.T) {
	var pages []*Page
	for _, s := range All() {
		pages = append(pages, NewPage(s, publishedWorld().measure(t, s)))
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, pages); err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Format != FormatV1 || len(d.Studies) != 4 {
		t.Fatalf("%s with %d studies", d.Format, len(d.Studies))
	}
	c := d.Studies[3].Claims[0]
	if c.Outcome != Holds || c.Ratio == nil || *c.Ratio < 0.6 || *c.Ratio > 0.63 || !(*c.Low < *c.Ratio) || !(*c.High > *c.Ratio) {
		t.Errorf("%+v", c)
	}
	for _, format := range report.ArticleFormats() {
		b.Reset()
		if err := report.WriteDocument(&b, Document(pages), format, report.Options{Width: 90}); err != nil {
			t.Fatal(err)
		}
		for _, s := range All() {
			for _, c := range s.Claims {
				if words := strings.Fields(c.Statement); !strings.Contains(b.String(), words[0]) {
					t.Errorf("%s: claim %s of %s is not there", format, c.ID, s.Name)
				}
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "not measured") {
			t.Errorf("%s: something is not a number:\n%s", format, b.String())
		}
	}
}
