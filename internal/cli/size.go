package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wirecost/internal/report"
	"wirecost/internal/size"
	"wirecost/internal/store"
)

func (a *App) sizeCommand() *cobra.Command {
	var f inputFlags
	var out outputFlags
	var format string
	var times bool
	cmd := &cobra.Command{
		Use:   "size [flags] FILE...",
		Short: "sizes only: raw and compressed, exact",
		Long: `size counts the bytes of your documents as you wrote them, as compact JSON, as
ProtoJSON and as Protobuf, under each content coding: every document compressed
alone and summed, and all as one stream. Sizes are exact and the same every
time; --times adds how long compressing took, which is only indicative.`,
		Example: `  wirecost size orders.ndjson
  wirecost size --encoding identity,gzip:9,br:11 --track both orders.ndjson
  wirecost size --sweep 1,10,100 orders.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			s := sizing{app: a, f: &f, out: &out, times: times, format: format}
			var err error
			if s.codings, err = parseCodings(cmd.Flags()); err != nil {
				return err
			}
			return s.run(cmd.Context(), args)
		},
	}
	cmd.Flags().SortFlags = false
	addCodings(cmd.Flags(), "content codings for sizes, with levels")
	cmd.Flags().BoolVar(&times, "times", true, "measure compression and decompression time")
	cmd.Flags().StringVar(&format, "format", "terminal", "output: "+formats())
	f.addSweep(cmd.Flags())
	f.add(cmd, "both")
	out.add(cmd)
	return cmd
}

// sizing is wirecost size under way.
type sizing struct {
	app     *App
	f       *inputFlags
	out     *outputFlags
	codings codings
	times   bool
	format  string
}

func (s *sizing) run(ctx context.Context, files []string) error {
	exporter, ok := report.For(s.format)
	if !ok {
		return &usageError{fmt.Errorf("--format %s: there is no such format; there are %s", s.format, formats())}
	}
	live := s.app.newLive(s.out)
	defer live.clear()
	tracks := []string{s.f.track.value}
	if s.f.track.value == "both" {
		tracks = []string{"literal", "typed"}
	}
	for i, track := range tracks {
		if len(tracks) > 1 && s.format == "terminal" {
			fmt.Fprintf(s.app.Stdout, "%s── track %s ──\n\n", map[bool]string{true: "\n"}[i > 0], track)
		}
		live.phase("reading documents")
		file, err := s.measure(ctx, track, live, files)
		if err != nil {
			return err
		}
		rep, err := report.Build(file)
		if err != nil {
			return err
		}
		live.clear()
		opt := report.Options{Color: color(s.app.Stdout, s.out.noColor), Width: min(width(s.app.Stdout), 100)}
		if err := exporter.Write(s.app.Stdout, rep, opt); err != nil {
			return err
		}
	}
	return nil
}

// measure makes a result, in memory, that holds samples, losses and sizes.
func (s *sizing) measure(ctx context.Context, track string, live *live, files []string) (*store.File, error) {
	in, err := s.app.open(ctx, s.f, files)
	if err != nil {
		return nil, err
	}
	info := store.SchemaInfo{Source: "given", Message: s.f.message}
	if in.schema != nil {
		err = in.fit(ctx, s.f)
	} else {
		info = store.SchemaInfo{Source: "inferred", Track: track}
		err = in.infer(ctx, s.f, track)
	}
	if err != nil {
		return nil, err
	}
	info.Digest = in.schema.Digest()
	records := []any{&store.Header{Time: s.app.Now().UTC(), Command: append([]string{"size"}, files...), Machine: s.app.machine(), Schema: info}}
	for _, x := range in.samples {
		d, err := in.convert(x, 1)
		if err != nil {
			return nil, err
		}
		live.phase("compressing %s", d.Name)
		described, err := in.describe(d)
		if err != nil {
			return nil, err
		}
		records = append(records, described...)
		rows, err := size.Measure(ctx, size.Request{Sample: d.ID, Forms: d.forms, Codings: s.codings.of(in.shapes[d.ID]), Times: s.times})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			records = append(records, &row)
		}
	}
	return store.Of("size", records)
}
