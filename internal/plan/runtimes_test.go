package plan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRuntimes(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  []string // with * where asked for by name
		fails bool
	}{
		{[]string{"two"}, []string{"two*"}, false},
		{[]string{"two", "one", "two"}, []string{"one*", "two*"}, false},
		{[]string{"all"}, []string{"one", "two"}, false},
		{[]string{"all", "one"}, []string{"one*", "two"}, false},
		{[]string{"one", "three"}, nil, true},
		{nil, nil, true},
	} {
		asked, err := Runtimes(runners(), test.names)
		if (err != nil) != test.fails {
			t.Errorf("%q: %v", test.names, err)
		}
		var got []string
		for _, x := range asked {
			name := x.Runner.Runtime
			if x.Named {
				name += "*"
			}
			got = append(got, name)
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.names, d)
		}
	}
	_, err := Runtimes(runners(), []string{"three"})
	var unknown *UnknownRuntimeError
	if !errors.As(err, &unknown) || err.Error() != "three: there is no such runtime; there are one, two, and all" {
		t.Errorf("have %v", err)
	}
}

func TestFits(t *testing.T) {
	one := runners()[0]
	for pattern, want := range map[string]bool{"quick": true, "one/quick": true, "one/*": true, "two/*": false, "nosuch": false} {
		if Fits(pattern, one) != want {
			t.Errorf("%s fits: %v", pattern, !want)
		}
	}
}
