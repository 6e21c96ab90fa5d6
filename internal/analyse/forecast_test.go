package analyse

import (
	"math"
	"testing"
	"time"

	"wirecost/internal/stats"
	"wirecost/internal/store"
)

// measured is a run of n forks with noise, a second each.
func measured(n int, noise float64, codecs ...codec) []any {
	recs := records(n, noise, codecs...)
	perFork := 2 * len(codecs)
	out := recs[: 3+perFork : 3+perFork]
	for fork := range n + 1 {
		at := 3 + perFork*(fork+1)
		out = append(append(out, recs[at:at+perFork]...), &store.Progress{Forks: fork + 1, MeasureNS: int64(fork+1) * 1e9, Preempted: 0.03})
	}
	return out
}

func TestForecast(t *testing.T) {
	if f := New(Options{}).Forecast(0.01); f.Known || f.Settled {
		t.Errorf("of nothing: %+v", f)
	}
	if f := analysis(Options{}, measured(2, 0.01, slowJSON, quickPB)...).Forecast(0.01); f.Known || !math.IsInf(f.Width, 1) {
		t.Errorf("of two forks: %+v", f)
	}
	if f := analysis(Options{}, measured(60, 0.001, slowJSON, quickPB)...).Forecast(0.01); !f.Settled || f.Time != 0 {
		t.Errorf("of what is settled: %+v", f)
	}
	if f := analysis(Options{}, measured(10, 0.3, slowJSON, quickPB)...).Forecast(0.001); !f.Known || f.Time != 0 || f.Forks != 0 {
		t.Errorf("of what is out of reach: %+v", f)
	}
	if f := analysis(Options{}, measured(10, 0.01, slowJSON, quickPB)...).Forecast(0); f.Known {
		t.Errorf("of no precision: %+v", f)
	}
}

// What is forecast after ten forks comes true within a factor of two.
func TestForecastComesTrue(t *testing.T) {
	const noise, precision = 0.012, 0.01
	recs := measured(400, noise, slowJSON, fastJSON, quickPB)
	a := New(Options{})
	var early Forecast
	for _, rec := range recs {
		a.Add(rec)
		p, ok := rec.(*store.Progress)
		if !ok {
			continue
		}
		if p.Forks == 11 {
			early = a.Forecast(precision)
		}
		if p.Forks > 11 && a.Settled("", precision) {
			if factor := early.Time.Seconds() / float64(p.Forks); factor < 0.5 || factor > 2 {
				t.Errorf("forecast %s and %d forks; it took %d forks of a second", early.Time, early.Forks, p.Forks)
			}
			return
		}
	}
	t.Error("never settled")
}

// A resumed run counts its time from 0 again.
func TestForecastOfAResumedRun(t *testing.T) {
	recs := measured(10, 0.02, slowJSON, quickPB)
	once := analysis(Options{}, recs...).Forecast(0.01)
	for i, rec := range recs {
		if p, ok := rec.(*store.Progress); ok && p.Forks > 6 {
			q := *p
			q.MeasureNS -= 6e9
			recs[i] = &q
		}
	}
	if again := analysis(Options{}, recs...).Forecast(0.01); again != once || once.Time <= 10*time.Second {
		t.Errorf("%+v and %+v", once, again)
	}
}

func TestNoise(t *testing.T) {
	n := New(Options{}).Noise()
	for _, x := range []float64{n.Preempted, n.Load, n.BatchSpread, n.ForkSpread} {
		if !math.IsNaN(x) {
			t.Errorf("of nothing: %+v", n)
		}
	}
	recs := append(measured(30, 0.02, slowJSON, quickPB), &store.Noise{Others: 0.2}, &store.Noise{Others: 0.1})
	for _, rec := range recs {
		f, ok := rec.(*store.Fork)
		if !ok {
			continue
		}
		// Batches at 90, 95, 100, 105 and 110%: quartiles 95 and 105%.
		base := f.WallNS[0]
		f.Iterations, f.Document, f.Window, f.WallNS = nil, nil, nil, nil
		for _, percent := range []int64{110, 90, 100, 95, 105} {
			f.Iterations, f.Document, f.Window = append(f.Iterations, 10000), append(f.Document, 0), append(f.Window, 2)
			f.WallNS = append(f.WallNS, base*percent/100)
		}
	}
	n = analysis(Options{}, recs...).Noise()
	if n.Preempted != 0.03 || n.Load != 0.2 || math.Abs(n.BatchSpread-0.1) > 0.001 {
		t.Errorf("%+v", n)
	}
	if want := 0.02 * math.Sqrt2; math.Abs(n.ForkSpread/want-1) > 0.4 {
		t.Errorf("spread between forks %v, want about %v", n.ForkSpread, want)
	}
	if grade, by := n.Grade(); grade != stats.GradeC || by != "preempted" {
		t.Errorf("grade %s by %s", grade, by)
	}
}
