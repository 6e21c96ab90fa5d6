package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wirecost/internal/bench"
)

// percent is a flag value such as "1%" or "0.5%"; kept as a fraction.
type percent float64

func (p *percent) String() string { return strconv.FormatFloat(float64(*p)*100, 'g', -1, 64) + "%" }
func (p *percent) Type() string   { return "percent" }
func (p *percent) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || v < 0 || v > 100 {
		return fmt.Errorf("want a percentage such as 1%%")
	}
	*p = percent(v / 100)
	return nil
}

// byteSize is a flag value such as "64MB"; decimal units, and KiB… for binary ones.
type byteSize int64

var byteUnits = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

func (b *byteSize) String() string {
	short := strconv.FormatInt(int64(*b), 10)
	for _, u := range byteUnits {
		if text := strconv.FormatInt(int64(*b)/int64(u.factor), 10) + u.suffix; int64(*b)%int64(u.factor) == 0 && len(text) < len(short) {
			short = text
		}
	}
	return short
}

func (b *byteSize) Type() string { return "size" }
func (b *byteSize) Set(s string) error {
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && v > 0 {
			*b = byteSize(v * u.factor)
			return nil
		}
	}
	return fmt.Errorf("want a size such as 64MB")
}

// choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }
func (c *choice) Set(s string) error {
	for _, a := range c.allowed {
		if a == s {
			c.value = s
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.allowed, " or "))
}

// operations is a flag that takes a list of operations.
type operations []bench.Operation

func (o *operations) String() string {
	var names []string
	for _, x := range *o {
		names = append(names, string(x))
	}
	return strings.Join(names, ",")
}

func (o *operations) Type() string { return "list" }
func (o *operations) Set(s string) error {
	for _, name := range strings.Split(s, ",") {
		switch op := bench.Operation(name); op {
		case bench.Encode, bench.Decode, bench.Visit:
			*o = append(*o, op)
		default:
			return fmt.Errorf("want encode, decode or visit, or several of them")
		}
	}
	return nil
}

// outputFlags are those of every command that reports.
type outputFlags struct {
	quiet    bool
	noColor  bool
	progress choice
}

func (f *outputFlags) add(cmd *cobra.Command) {
	f.progress = choice{"auto", []string{"auto", "plain", "none"}}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.quiet, "quiet", false, "print the result and nothing else")
	flags.BoolVar(&f.noColor, "no-color", false, "no colour (NO_COLOR is honoured too)")
	flags.Var(&f.progress, "progress", "how progress is shown")
}
