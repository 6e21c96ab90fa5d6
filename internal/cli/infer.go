package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/schema"
)

func (a *App) inferCommand() *cobra.Command {
	var f inputFlags
	var out outputFlags
	var file string
	cmd := &cobra.Command{
		Use:   "infer [flags] FILE...",
		Short: "infer a .proto from documents; report what would be lost",
		Long: `infer reads documents and prints a Protobuf schema that holds them all, with a
comment where a decision was uncertain, and then, as comments, what the way
JSON → Protobuf → JSON would change. Each file makes a message, a folder one for
all its files, a HAR recording one for each endpoint. What it prints compiles with
protoc and works with --schema.`,
		Example: `  wirecost infer orders.ndjson > order.proto
  wirecost infer --track typed orders.ndjson
  wirecost infer --expand '$.payload' events.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needArguments(cmd, args); err != nil {
				return err
			}
			return a.infer(cmd.Context(), &f, &out, file, args)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write the schema to (default: standard output)")
	f.add(cmd)
	out.add(cmd)
	return cmd
}

func (a *App) infer(ctx context.Context, f *inputFlags, out *outputFlags, file string, args []string) error {
	if f.schema != "" {
		return &usageError{fmt.Errorf("infer makes a schema; --schema has no place here")}
	}
	live := a.newLive(out)
	defer live.clear()
	text, err := a.inferText(ctx, f, live, args)
	if err != nil {
		return err
	}
	live.clear()
	if file == "" {
		_, err = io.WriteString(a.Stdout, text)
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// inferText gives the schema with its loss report.
func (a *App) inferText(ctx context.Context, f *inputFlags, live *live, args []string) (string, error) {
	live.phase("reading documents")
	if r, err := a.stream(f, args); err != nil || r != nil {
		if err != nil {
			return "", err
		}
		defer r.Close()
		return inferStream(ctx, f, live, r)
	}
	in, err := a.open(ctx, f, args)
	if err != nil {
		return "", err
	}
	if err := in.infer(ctx, f, f.track.value); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(in.inferred.Proto)
	notes := slices.Clone(in.notes)
	for _, s := range in.samples {
		notes = append(notes, s.Notes...)
	}
	writeNotes(&b, notes)
	for _, s := range in.samples {
		losses, err := in.schema.Losses(s.ID, documents(s))
		if err != nil {
			return "", err
		}
		writeLosses(&b, s.Name, len(s.Documents), losses)
	}
	return b.String(), nil
}

// writeNotes writes what else is to be known as comments.
func writeNotes(b *strings.Builder, notes []string) {
	for i, n := range notes {
		fmt.Fprintf(b, "%s// note: %s\n", map[bool]string{true: "\n"}[i == 0], clean(n))
	}
}

// writeLosses writes a loss report as comments.
func writeLosses(b *strings.Builder, name string, documents int, losses []schema.Loss) {
	real := 0
	for _, l := range losses {
		if !l.Note {
			real++
		}
	}
	switch {
	case real == 0:
		fmt.Fprintf(b, "\n// JSON → Protobuf → JSON gives %s of %s back in meaning.\n", all(documents), clean(name))
	default:
		fmt.Fprintf(b, "\n// JSON → Protobuf → JSON changes some of what %s holds (%d document%s):\n", clean(name), documents, plural(documents))
	}
	for _, l := range losses {
		kind := "changed"
		if l.Note {
			kind = "note"
		}
		fmt.Fprintf(b, "//   %s %s: %s, in %d document%s", kind, clean(l.Path), clean(l.What), l.Documents, plural(l.Documents))
		if l.Example != "" {
			fmt.Fprintf(b, ", as %s", clean(l.Example))
		}
		b.WriteByte('\n')
	}
}

func all(documents int) string {
	if documents == 1 {
		return "the document"
	}
	return fmt.Sprintf("all %d documents", documents)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// clean keeps what users wrote from ending a comment line.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0x85 {
			return ' '
		}
		return r
	}, s)
}
