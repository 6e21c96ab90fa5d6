// Package runners holds the sources of every runner: one folder per language
// runtime, built for a schema when a run needs it.
package runners

import "embed"

// FS holds the runners' folders. A folder with a runner.json is a runner.
//
//go:embed *
var FS embed.FS
