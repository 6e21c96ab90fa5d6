// Package bundle makes of a page's sources, and the packages that they import, the
// files that a browser loads.
package bundle

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// Page makes the files of a page from its sources in dir: each of the entries
// becomes a file in out, scripts with all that they import. Packages are looked
// for in the folder modules. The error has a line for each mistake, with its
// place.
func Page(dir, modules, out string, entries []string) error {
	for _, path := range []*string{&dir, &modules, &out} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, EntryPoints: entries, Outdir: out, Write: true,
		Bundle: true, Splitting: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Target: api.ES2022,
		EntryNames: "[name]", ChunkNames: "[name]-[hash]",
		NodePaths: []string{modules},
		Loader:    map[string]api.Loader{".html": api.LoaderCopy, ".css": api.LoaderCopy, ".binpb": api.LoaderBinary},
		Plugins:   []api.Plugin{packageFiles(modules)},
		LogLevel:  api.LogLevelSilent,
	})
	var failures []error
	for _, m := range result.Errors {
		failures = append(failures, mistake(m))
	}
	return errors.Join(failures...)
}

func mistake(m api.Message) error {
	if m.Location == nil {
		return errors.New(m.Text)
	}
	return fmt.Errorf("%s:%d:%d: %s", m.Location.File, m.Location.Line, m.Location.Column+1, m.Text)
}

// packageFiles lets sources read NAME/package.json, which has the version, of
// packages that export no such file.
func packageFiles(modules string) api.Plugin {
	return api.Plugin{Name: "package.json", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^(@[\w.-]+/)?\w[\w.-]*/package\.json$`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(modules, filepath.FromSlash(a.Path))}, nil
		})
	}}
}
