package cli

import (
	"context"

	"github.com/spf13/pflag"

	"wirecost/internal/sample"
	"wirecost/internal/schema"
	"wirecost/internal/store"
)

// sweepFlag is a flag such as "10,100,1000" or "string:16,256".
type sweepFlag struct{ sample.Sweep }

func (f *sweepFlag) Type() string { return "[target:]list" }
func (f *sweepFlag) Set(s string) (err error) {
	f.Sweep, err = sample.ParseSweep(s)
	return err
}

func (f *inputFlags) addSweep(flags *pflag.FlagSet) {
	flags.Var(&f.sweep, "sweep", "measure at several sizes: elements of the largest array, as 10,100,1000; of another, as '$.items:10,100'; or string:16,256 or ascii:0,50,100 (docs/sweeps.md)")
}

// sweep puts the steps of a sweep in the place of each sample.
func (in *input) sweep(f *inputFlags) error {
	if len(f.sweep.Values) == 0 {
		return nil
	}
	in.sweeps = map[string]*store.Sweep{}
	var steps []*sample.Sample
	for _, s := range in.samples {
		made, err := f.sweep.Steps(s, f.sampleLimits())
		if err != nil {
			return err
		}
		for _, x := range made {
			in.sweeps[x.ID] = &store.Sweep{Of: s.ID, What: x.What, Unit: x.Unit, Value: x.Value, From: x.From}
			steps = append(steps, x.Sample)
		}
	}
	in.samples = steps
	return nil
}

// inferSwept infers one schema for all steps of a sweep, so that nothing but the
// documents differs between them.
func (in *input) inferSwept(ctx context.Context, opt schema.InferOptions) (*schema.Inferred, map[string]string, error) {
	parts, err := in.partials(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	var merged []schema.NamedPartial
	at := map[string]int{}
	for _, p := range parts {
		of := in.sweeps[p.Sample].Of
		if i, ok := at[of]; ok {
			merged[i].Partial.Merge(p.Partial)
			continue
		}
		at[of] = len(merged)
		merged = append(merged, schema.NamedPartial{Sample: of, RootName: of, Partial: p.Partial})
	}
	inferred, err := schema.Infer(merged, opt)
	if err != nil {
		return nil, nil, err
	}
	roots := map[string]string{}
	for id, s := range in.sweeps {
		roots[id] = inferred.Roots[s.Of]
	}
	return inferred, roots, nil
}
