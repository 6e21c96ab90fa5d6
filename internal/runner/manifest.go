package runner

import "wirecost/internal/bench"

// ManifestFormat names the version of runner.json.
const ManifestFormat = "wirecost.runner/v1"

// Manifest is a runner's runner.json: how it is set up, built and run. Commands
// and the environment may hold the placeholders {home} (the folder of its pinned
// libraries, see Builder.Setup), {tools} (a folder kept per version of the
// runner), {codecs} (the names of those built in, comma-separated; in setup and
// check, of all), {wirecost} (the path of wirecost's own program) and {exe}
// (".exe" on Windows, else nothing); the word {memory} of run is Memory's option.
// A run that begins with {wirecost} may have other placeholders, which that
// program reads. Setup and check commands run in {home}; the others in the build's
// own folder, which moves when it is complete: nothing in it may hold its absolute
// path. Warm commands run in a folder rendered for a schema without messages.
type Manifest struct {
	Format    string `json:"format"`
	Runtime   string `json:"runtime"`
	Isolation string `json:"isolation"` // "shared": one process holds all codecs; "codec": one process each
	Compiles  bool   `json:"compiles_while_running,omitempty"`
	Needs     []Need `json:"needs"`
	// Include shares sources with other runners: it maps files and folders, as
	// paths from the folder in which the runner's own stands, to their places in
	// the runner's own ("." is that itself). What is there already stays.
	Include     map[string]string `json:"include,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
	Setup       [][]string        `json:"setup,omitempty"`    // bring pinned libraries into {home}, without root; only "wirecost setup" runs them
	Checks      [][]string        `json:"check,omitempty"`    // quick; succeed only where the set-up is whole; the first line of each tells versions
	Warm        [][]string        `json:"warm,omitempty"`     // work that no schema is needed for: started while documents are read
	Generate    [][]string        `json:"generate,omitempty"` // from the rendered templates and the descriptor sets to sources
	Build       [][]string        `json:"build"`
	Run         []string          `json:"run"`              // a relative program is one in the build's folder
	Memory      *Memory           `json:"memory,omitempty"` // what a process may take is bounded so; nil: not at all
}

// Need is a program that has to be installed.
type Need struct {
	Program string `json:"program"` // looked for in PATH
	// Version is the arguments that print the version, on the first line; the
	// lines that follow may tell settings that a build depends on. All of it is
	// part of a build's cache key.
	Version []string `json:"version"`
	Minimum string   `json:"minimum,omitempty"` // "1.26"
	Get     string   `json:"get"`               // the command that brings it, for a user who lacks it
	// Codecs are those that need it; none: the whole runtime does.
	Codecs []string `json:"codecs,omitempty"`
	// For is what needs it: "setup" alone, or "run", which is all but the set-up:
	// a new version of it leaves {home} as it is. Empty: both.
	For string `json:"for,omitempty"`
}

// Codec is what the header line of a codec's source file says of it. The line
// holds "wirecost:codec " followed by this in JSON, and stands among the first
// lines of runners/<runtime>/codecs/<name>.*.tmpl. The runner's templates see
// it, so that "describe" and the core speak from one source.
type Codec struct {
	Name       string            `json:"name"`
	Format     bench.Format      `json:"format"`
	Documents  string            `json:"documents,omitempty"` // json, protobuf or protojson; default: the format
	Default    bool              `json:"default,omitempty"`   // measured unless --codec says otherwise
	Role       string            `json:"role,omitempty"`      // "default": what a programmer of this runtime gets first
	Library    string            `json:"library"`
	Operations []bench.Operation `json:"operations"`
	Lazy       bool              `json:"lazy,omitempty"` // decode leaves work for later, or makes a generic tree: visit joins
	Traits     []string          `json:"traits"`
	// Owns lists name patterns (path.Match, on slash paths within the build
	// folder) of generated files that are this codec's: a build error in one
	// of them drops the codec, not the runner. Its own source file is implied.
	Owns []string `json:"owns,omitempty"`
	Note string   `json:"note,omitempty"`
	File string   `json:"-"` // the template's path within the runner's folder
}
