package runner

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wirecost/internal/bench"
)

const (
	buildsFolder = "builds"
	toolsFolder  = "tools"
	homesFolder  = "homes"
	markerFile   = "wirecost-build.json"

	keepBuilds = 50
	keepBytes  = 2 << 30
	keepTools  = 30 * 24 * time.Hour // since last used; homes too
	keepHomes  = 3                   // of a runtime
	keepInUse  = time.Hour           // since last used: a run may still be about to start it
)

// marker is the last file that is written of a build: a build without it was
// interrupted, and one whose files are not as it says is broken.
type marker struct {
	Codecs            []string           `json:"codecs"`
	Dropped           []Dropped          `json:"dropped,omitempty"`
	Transports        []bench.Transport  `json:"transports,omitempty"`
	DroppedTransports []DroppedTransport `json:"dropped_transports,omitempty"`
	Guessed           bool               `json:"guessed,omitempty"` // something was dropped on a guess: do not reuse, try again
	Files             map[string]int64   `json:"files"`             // slash path → size
}

func writeMarker(dir string, m marker) error {
	var err error
	if m.Files, err = fileSizes(dir); err != nil {
		return err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, markerFile), b, 0o644)
}

// fileSizes lists the files and links below a folder.
func fileSizes(dir string) (map[string]int64, error) {
	sizes := map[string]int64{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&^fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sizes[name] = info.Size()
		}
		return err
	})
	return sizes, err
}

// damage names a file that is gone or has been cut short; a file that grew was
// used. Empty: there is none.
func damage(dir string, files map[string]int64) string {
	for _, name := range sortedKeys(files) {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return name + " is gone"
		}
		if info.Size() < files[name] {
			return name + " has been cut short"
		}
	}
	return ""
}

// reuse fills in a build that is in the cache already, if it is whole.
func (b *Build) reuse() bool {
	raw, err := os.ReadFile(filepath.Join(b.Dir, markerFile))
	if err != nil {
		return false
	}
	var m marker
	if json.Unmarshal(raw, &m) != nil || m.Guessed || len(m.Codecs) == 0 {
		return false
	}
	if damage(b.Dir, m.Files) != "" {
		return false
	}
	if _, err := os.Stat(b.tools); err != nil && strings.Contains(strings.Join(b.Runner.Run, " "), "{tools}") {
		return false
	}
	touch(b.Dir)
	touch(b.tools)
	b.Codecs, b.Dropped, b.Cached = m.Codecs, m.Dropped, true
	b.Transports, b.DroppedTransports = m.Transports, m.DroppedTransports
	return true
}

// touch notes that a folder was used now. That it fails does no harm.
func touch(dir string) { _ = os.Chtimes(dir, time.Time{}, time.Now()) }

type entry struct {
	path string
	used time.Time
}

// entries lists a folder of the cache, newest first.
func (b *Builder) entries(folder string) []entry {
	list, err := os.ReadDir(filepath.Join(b.Cache, folder))
	if err != nil {
		return nil
	}
	var all []entry
	for _, d := range list {
		if info, err := d.Info(); err == nil {
			all = append(all, entry{filepath.Join(b.Cache, folder, d.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.used.Compare(a.used) })
	return all
}

// prune removes old builds and tools, but never the build just made. What cannot
// be removed stays until the next time.
func (b *Builder) prune(key string) {
	var count int
	var bytes int64
	for _, e := range b.entries(buildsFolder) {
		if strings.HasSuffix(e.path, ".tmp") { // another process's, or left by one that was killed
			if time.Since(e.used) > keepTools {
				_ = os.RemoveAll(e.path)
			}
			continue
		}
		sizes, _ := fileSizes(e.path)
		for _, n := range sizes {
			bytes += n
		}
		count++
		if (count > keepBuilds || bytes > keepBytes) && filepath.Base(e.path) != key && time.Since(e.used) > keepInUse {
			_ = os.RemoveAll(e.path)
		}
	}
	for _, e := range b.entries(toolsFolder) {
		if time.Since(e.used) > keepTools {
			_ = os.RemoveAll(e.path)
		}
	}
}
