package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"wirecost/internal/analyse"
	"wirecost/internal/env"
	"wirecost/internal/store"
	"wirecost/internal/verdict"
)

// known gives null for what is not a number.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func newNoise(a *analyse.Analysis, m store.Machine) *Noise {
	seen := a.Noise()
	if math.IsNaN(seen.Preempted) {
		return nil
	}
	grade, by := seen.Grade()
	n := &Noise{Grade: grade.String(), By: by, Load: known(seen.Load), BatchSpread: known(seen.BatchSpread), ForkSpread: known(seen.ForkSpread)}
	if before := a.Before(); before != nil && by != "" {
		// Other programs and their load are what the grade speaks of.
		n.advice = env.NoiseReport{Cores: m.Cores, Steal: before.Steal, Quota: before.Quota, OnBattery: before.OnBattery, Governor: m.Governor}.Advise()
	}
	return n
}

var gradeWords = map[string]string{"A": "quiet", "B": "usual", "C": "busy", "D": "very busy"}

// noiseLines say how well the machine suited measuring, and what would help.
func noiseLines(m Machine) []string {
	n := m.Noise
	if n == nil {
		return nil
	}
	line := fmt.Sprintf("Machine grade %s (%s)", n.Grade, gradeWords[n.Grade])
	wider, only := "; close other programs, or expect wider intervals", "; only more of them help"
	if n.Grade == "B" { // as most machines are
		wider, only = "", ""
	}
	switch n.By {
	case "preempted":
		line += fmt.Sprintf(": %s of the batches were interrupted%s", verdict.Percent(m.Preempted), wider)
	case "load":
		line += fmt.Sprintf(": other programs used %s of the CPU before the run%s", verdict.Percent(*n.Load), wider)
	case "fork spread":
		line += fmt.Sprintf(": ratios differed by %s from process to process%s", verdict.Percent(*n.ForkSpread), only)
	}
	return append([]string{line + "."}, n.advice...)
}

func newForecast(a *analyse.Analysis, s store.Settings) *Forecast {
	precision := s.PrecisionPercent / 100
	f := a.Forecast(precision)
	if f.Settled || precision <= 0 || f.Width == 0 {
		return nil
	}
	out := &Forecast{Precision: precision, Widest: known(f.Width), known: f.Known, limitForks: s.MaxForks > 0}
	if f.Forks > 0 {
		seconds := rounded(f.Time).Seconds()
		out.Seconds, out.Forks = &seconds, &f.Forks
	}
	return out
}

// rounded rounds a forecast up, to two digits or so: more would be pretence.
func rounded(d time.Duration) time.Duration {
	step := time.Second
	for _, s := range []time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute} {
		if d > 12*s {
			step = s
		}
	}
	return (d + step - 1).Truncate(step)
}

// farAway is a forecast that is no advice any more.
const farAway = time.Hour

// forecastLine says how long the run would have needed.
func forecastLine(f *Forecast) string {
	if f == nil {
		return ""
	}
	line := "Too few forks were measured for an interval of every ratio"
	if f.Widest != nil {
		line = fmt.Sprintf("The ratio known least is known to ±%s%%", verdict.Digits(100**f.Widest))
	}
	goal := fmt.Sprintf("for ±%s on every ratio", verdict.Percent(f.Precision))
	switch {
	case !f.known:
		return line + "; give the run more time (--max-time)."
	case f.Seconds == nil || *f.Seconds > farAway.Seconds():
		return fmt.Sprintf("%s; %s more than an hour would be needed here: quieten the machine, or ask for less (--precision).", line, goal)
	case f.limitForks:
		return fmt.Sprintf("%s; %s it would need about %d forks (--max-forks %d).", line, goal, *f.Forks, *f.Forks)
	}
	need := time.Duration(*f.Seconds) * time.Second
	return fmt.Sprintf("%s; %s it would need about %s (--max-time %s).", line, goal, words(need), argument(need))
}

// words writes a whole number of seconds for people: "90 s", "12 min".
func words(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%.1f min", d.Minutes())
}

// argument writes a duration as the command line takes it, without units of 0.
func argument(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Outlook is the forecast in a few words, for a line that is shown while a run
// goes on; empty where there is nothing to say.
func Outlook(a *analyse.Analysis, precision float64) string {
	f := a.Forecast(precision)
	if f.Settled || !f.Known {
		return ""
	}
	goal := fmt.Sprintf("±%s on every ratio", verdict.Percent(precision))
	if f.Forks == 0 || f.Time > farAway {
		return goal + " is out of reach here"
	}
	return fmt.Sprintf("%s would take about %s", goal, words(rounded(f.Time)))
}
