package runner

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ownerOf finds the codec that a file of the build folder belongs to: its own
// source, or generated code that it owns.
func ownerOf(codecs []Codec, file string) (Codec, bool) {
	for _, c := range codecs {
		if file == strings.TrimSuffix(c.File, templateSuffix) {
			return c, true
		}
	}
	for _, c := range codecs {
		if matchesAny(c.Owns, file) {
			return c, true
		}
	}
	return Codec{}, false
}

func matchesAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, file)
		return ok
	})
}

// transportOf finds the transport that a file of the build folder belongs to.
func transportOf(transports []Transport, file string) (Transport, bool) {
	for _, t := range transports {
		if file == strings.TrimSuffix(t.File, templateSuffix) || t.holds(file) || matchesAny(t.Owns, file) {
			return t, true
		}
	}
	return Transport{}, false
}

// folderSpellings gives the ways in which a compiler may write the folder.
func folderSpellings(dir string) []string {
	spellings := []string{dir}
	if abs, err := filepath.Abs(dir); err == nil {
		spellings = append(spellings, abs)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		spellings = append(spellings, real)
	}
	return spellings
}

// within makes a path that a compiler wrote relative to the build folder, with
// slashes.
func within(file string, folders []string) string {
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(file, f+string(filepath.Separator)); ok {
			file = rest
			break
		}
	}
	return path.Clean(filepath.ToSlash(file))
}
