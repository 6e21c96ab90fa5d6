package runner

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// include gives a runner's folder with the files and folders of others in the
// places that it wants them at: all files in one archive in memory. all is the
// folder that holds the runners' folders.
func include(all, own fs.FS, sources map[string]string) (fs.FS, error) {
	contents := map[string][]byte{}
	from := map[string]string{} // file → the source that it comes from
	for _, source := range sortedKeys(sources) {
		place := sources[source]
		if !fs.ValidPath(source) || source == "." || !fs.ValidPath(place) {
			return nil, fmt.Errorf("include has %q at %q; want a path beside the runner's folder, and one within it", source, place)
		}
		err := eachFile(all, source, func(name string, content []byte) error {
			at := path.Join(place, strings.TrimPrefix(name, source))
			if path.Base(name) == manifestFile {
				return nil
			}
			if other, ok := from[at]; ok {
				return fmt.Errorf("both %s and %s put a file at %s", other, source, at)
			}
			contents[at], from[at] = content, source
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("include: %w", err)
		}
	}
	err := eachFile(own, ".", func(name string, content []byte) error {
		contents[name] = content
		return nil
	})
	if err != nil {
		return nil, err
	}
	return archive(contents)
}

// eachFile calls f for a file, or for each file below a folder.
func eachFile(fsys fs.FS, root string, f func(name string, content []byte) error) error {
	return fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return f(name, content)
	})
}

// archive makes a file system of files.
func archive(contents map[string][]byte) (fs.FS, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range sortedKeys(contents) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(contents[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
}
