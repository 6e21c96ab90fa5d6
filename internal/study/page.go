package study

import (
	"encoding/json"
	"io"
	"math"
	"time"
)

// FormatV1 names the version of the machine's form of studies.
const FormatV1 = "wirecost.study/v1"

// Page is a study with what was measured of it.
type Page struct {
	*Study
	Results  *Results
	Measured []Number // of the figures, in their order
	Decided  []Decided
	Told     []Told // of the explanations, in their order
}

// NewPage derives everything that a page says from results.
func NewPage(s *Study, r *Results) *Page {
	p := &Page{Study: s, Results: r}
	for _, f := range s.Figures {
		p.Measured = append(p.Measured, f.Measured(r))
	}
	for _, c := range s.Claims {
		p.Decided = append(p.Decided, c.decide(r))
	}
	for _, e := range s.Explanations {
		p.Told = append(p.Told, e.Tell(r))
	}
	return p
}

// Complete reports whether every figure and every part of a claim had what it
// needs, and no case failed.
func (p *Page) Complete() bool {
	for _, n := range p.Measured {
		if !n.Known() {
			return false
		}
	}
	for _, c := range p.Decided {
		for _, f := range c.Findings {
			if f.Outcome == Undecided && f.Unmeasured {
				return false
			}
		}
	}
	return len(p.Results.Failed()) == 0
}

// document is the machine's form of studies. What is not known is null.
type document struct {
	Format  string      `json:"format"`
	Studies []studyJSON `json:"studies"`
}

type studyJSON struct {
	Name         string            `json:"name"`
	Title        string            `json:"title"`
	Question     string            `json:"question"`
	Time         string            `json:"time,omitempty"` // RFC 3339
	Results      []string          `json:"results"`        // files
	Figures      []figureJSON      `json:"figures"`
	Claims       []claimJSON       `json:"claims"`
	Explanations []explanationJSON `json:"explanations"`
	Failed       []string          `json:"failed,omitempty"` // cases, with their reasons
}

type figureJSON struct {
	Group     string  `json:"group,omitempty"`
	Name      string  `json:"name"`
	Published float64 `json:"published"`
	numberJSON
	Unit   Unit   `json:"unit"`
	Exact  bool   `json:"exact,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// numberJSON is an estimate as "measured" with its interval.
type numberJSON struct {
	Measured *float64 `json:"measured"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

type claimJSON struct {
	ID        string     `json:"id"`
	Statement string     `json:"statement"`
	Outcome   Outcome    `json:"outcome"`
	Ratio     *float64   `json:"ratio"` // of the part that the outcome rests on
	Low       *float64   `json:"low"`
	High      *float64   `json:"high"`
	Parts     []partJSON `json:"parts"`
}

type partJSON struct {
	Statement string   `json:"statement"`
	Outcome   Outcome  `json:"outcome"`
	Published *float64 `json:"published"`
	numberJSON
	Unit   Unit   `json:"unit,omitempty"`
	Reason string `json:"reason,omitempty"`
}

type explanationJSON struct {
	Title   string                `json:"title"`
	Text    []string              `json:"text"`
	Numbers map[string]numberJSON `json:"numbers"`
}

// WriteJSON writes pages in the machine's form.
func WriteJSON(w io.Writer, pages []*Page) error {
	d := document{Format: FormatV1}
	for _, p := range pages {
		d.Studies = append(d.Studies, p.json())
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(d)
}

func (p *Page) json() studyJSON {
	s := studyJSON{Name: p.Name, Title: p.Title, Question: p.Question, Results: []string{}, Failed: p.Results.Failed()}
	if t := p.Results.Measured(); !t.IsZero() {
		s.Time = t.UTC().Format(time.RFC3339)
	}
	for _, f := range p.Results.Files() {
		s.Results = append(s.Results, f.Name)
	}
	for i, f := range p.Figures {
		n := p.Measured[i]
		s.Figures = append(s.Figures, figureJSON{f.Group, f.Name, f.Published, numberOf(n), f.Unit, f.Exact, n.Problem})
	}
	for _, c := range p.Decided {
		s.Claims = append(s.Claims, claimOf(c))
	}
	for i, e := range p.Explanations {
		x := explanationJSON{Title: e.Title, Text: p.Told[i].Text, Numbers: map[string]numberJSON{}}
		for name, n := range p.Told[i].Numbers {
			x.Numbers[name] = numberOf(n)
		}
		s.Explanations = append(s.Explanations, x)
	}
	return s
}

func claimOf(c Decided) claimJSON {
	n := numberOf(c.deciding().Number)
	out := claimJSON{ID: c.ID, Statement: c.Statement, Outcome: c.Outcome, Ratio: n.Measured, Low: n.Low, High: n.High}
	for _, f := range c.Findings {
		part := partJSON{Statement: f.Statement, Outcome: f.Outcome, numberJSON: numberOf(f.Number), Unit: f.Unit, Reason: f.Reason}
		if f.Published > 0 {
			part.Published = &f.Published
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// numberOf leaves out what is not known or not bounded.
func numberOf(n Number) numberJSON {
	if !n.Known() {
		return numberJSON{}
	}
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	out := numberJSON{Measured: finite(n.Value), Low: finite(n.Low), High: finite(n.High)}
	if n.Low == 0 && math.IsInf(n.High, 1) {
		out.Low = nil
	}
	return out
}
