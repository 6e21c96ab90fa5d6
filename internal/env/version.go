package env

import (
	"runtime/debug"
)

// Version tells which wirecost this is: the released version, or "devel" with
// the revision that it was built from, where that is known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return version(info)
}

// Library names a Go module that this program is built with, with its version:
// "github.com/klauspost/compress v1.20.4". Without build information it is the
// path alone.
func Library(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return path
	}
	for _, module := range info.Deps {
		if module.Path != path {
			continue
		}
		if module.Replace != nil {
			module = module.Replace
		}
		return path + " " + module.Version
	}
	return path
}

func version(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = "-" + s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = "-modified"
			}
		}
	}
	return "devel" + revision + modified
}
