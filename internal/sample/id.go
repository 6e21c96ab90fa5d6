package sample

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// identifiers gives samples short, unique and safe IDs, the same for the same paths.
type identifiers struct {
	bases   []string // what a sample would like to be called
	parents []string // the folder that tells it from another of that name
}

// add notes the samples that a path gave.
func (ids *identifiers) add(path string, samples []*Sample) {
	base, kind, _ := nameOf(path)
	parent := ""
	switch absolute, err := filepath.Abs(path); {
	case path == stdinName:
		base = "stdin"
	case err == nil && (base == "" || strings.Trim(base, ".") == ""): // "." and ".." have names, too
		base = filepath.Base(absolute)
	case err == nil:
		parent = filepath.Base(filepath.Dir(absolute))
	}
	for _, s := range samples {
		name := base
		if kind == kindHAR {
			name = strings.NewReplacer(" ", "_", "/", "_").Replace(s.Name)
		}
		ids.bases = append(ids.bases, safe(name))
		ids.parents = append(ids.parents, safe(parent))
	}
}

// assign sets the IDs of the samples, which were added in this order. Samples
// of one base name get their folder's before it; what is still equal, a number.
// IDs differ by more than case, since they become file names.
func (ids *identifiers) assign(samples []*Sample) {
	same := map[string]int{}
	for _, base := range ids.bases {
		same[strings.ToLower(base)]++
	}
	taken := map[string]bool{}
	for i, s := range samples {
		id := ids.bases[i]
		if same[strings.ToLower(id)] > 1 && ids.parents[i] != anonymous {
			id = safe(ids.parents[i] + "-" + id)
		}
		s.ID = id
		for n := 2; taken[strings.ToLower(s.ID)]; n++ {
			s.ID = fmt.Sprintf("%s-%d", id, n)
		}
		taken[strings.ToLower(s.ID)] = true
	}
}

const (
	anonymous = "sample" // the ID of what has no usable name
	longestID = 80
)

// safe turns a name into an ID: ASCII letters, digits, ".", "_" and "-", not
// beginning or ending with a sign, and fit to be a file's name.
func safe(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-':
			b.WriteRune(r)
		case r == '{' || r == '}':
		case !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	id := strings.Trim(b.String(), "._-")
	if stem, _, _ := strings.Cut(id, "."); id == "" || device.MatchString(stem) {
		id = strings.TrimRight(anonymous+"-"+id, "-")
	}
	return strings.TrimRight(id[:min(len(id), longestID)], "._-")
}

// device is a name that Windows gives to devices, and so to no file, with or
// without an extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
