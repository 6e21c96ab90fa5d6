package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"wirecost/internal/bench"
)

const (
	transportFolder = "transports"
	transportMark   = "wirecost:transport "
)

// Role is what a runner can be on a transport.
type Role string

// The roles.
const (
	RoleServe Role = "serve" // the server
	RoleCall  Role = "call"  // the client
)

// Transport is what the header line of a transport's source file says of it. The
// line holds "wirecost:transport " followed by this in JSON, and stands among the
// first lines of runners/<runtime>/transports/<stem>.*.tmpl. The file, and the
// folder transports/<stem>, are rendered only into builds that are asked for one
// of its transports.
type Transport struct {
	Transport  bench.Transport   `json:"transport,omitempty"`  // where the file is for one alone
	Transports []bench.Transport `json:"transports,omitempty"` // all that it is for; filled in from Transport
	Roles      []Role            `json:"roles"`
	Encodings  []string          `json:"encodings,omitempty"` // content codings besides identity, as "gzip:6"
	Library    string            `json:"library"`
	// Owns lists name patterns of generated files that are this transport's, as in
	// Codec.Owns: a build error in one of them drops the transport.
	Owns []string `json:"owns,omitempty"`
	Note string   `json:"note,omitempty"`
	File string   `json:"-"` // the template's path within the runner's folder
}

// readTransports reads the header of every transport's file.
func readTransports(fsys fs.FS) ([]Transport, error) {
	all, err := readHeaders[Transport](fsys, transportFolder, transportMark)
	if err != nil {
		return nil, err
	}
	type part struct {
		bench.Transport
		Role
	}
	taken := map[part]string{}
	for _, t := range all {
		for _, name := range t.Transports {
			for _, role := range t.Roles {
				if other, ok := taken[part{name, role}]; ok {
					return nil, fmt.Errorf("%s: %s has the role %s of %s as well", t.File, other, role, name)
				}
				taken[part{name, role}] = t.File
			}
		}
	}
	return all, nil
}

var leveled = regexp.MustCompile(`^[a-z]+:[0-9]+$`)

func (t *Transport) complete(file string) error {
	t.File = file
	if t.Transport != "" {
		t.Transports = append(t.Transports, t.Transport)
		t.Transport = ""
	}
	switch {
	case len(t.Transports) == 0:
		return errors.New("transport is missing")
	case len(t.Roles) == 0:
		return errors.New("roles are missing")
	case t.Library == "":
		return errors.New("library is missing")
	}
	for i, name := range t.Transports {
		if !slices.Contains([]bench.Transport{bench.HTTP, bench.HTTP2, bench.Redis}, name) || slices.Contains(t.Transports[:i], name) {
			return fmt.Errorf("transport %q; want http, http2 and redis, each at most once", name)
		}
	}
	for i, role := range t.Roles {
		if !slices.Contains([]Role{RoleServe, RoleCall}, role) || slices.Contains(t.Roles[:i], role) {
			return fmt.Errorf("role %q; want serve and call, each at most once", role)
		}
	}
	for _, e := range t.Encodings {
		if !leveled.MatchString(e) {
			return fmt.Errorf("encoding %q; want a coding with its level, as in gzip:6", e)
		}
	}
	return checkPatterns(t.Owns)
}

// is tells whether the header names a transport in a role.
func (t Transport) is(name bench.Transport, role Role) bool {
	return slices.Contains(t.Transports, name) && slices.Contains(t.Roles, role)
}

// holds tells whether a file of the runner's folder goes with the transport.
func (t Transport) holds(file string) bool {
	stem, _, _ := strings.Cut(path.Base(t.File), ".")
	return file == t.File || strings.HasPrefix(file, transportFolder+"/"+stem+"/")
}

// Serves tells whether the runner can be built to serve a transport.
func (r *Runner) Serves(t bench.Transport) bool { return r.can(t, RoleServe) }

// Calls tells whether the runner can be built to call over a transport.
func (r *Runner) Calls(t bench.Transport) bool { return r.can(t, RoleCall) }

// TransportNames are all transports that the runner can be built for.
func (r *Runner) TransportNames() []bench.Transport { return transportNames(r.Transports) }

func (r *Runner) can(name bench.Transport, role Role) bool {
	return slices.ContainsFunc(r.Transports, func(t Transport) bool { return t.is(name, role) })
}

// chooseTransports gives the headers of those named, each with those of its
// transports that are.
func (r *Runner) chooseTransports(names []bench.Transport) ([]Transport, error) {
	for _, n := range names {
		if n != bench.Memory && !r.Serves(n) && !r.Calls(n) {
			return nil, fmt.Errorf("the runner for %s has no transport %q", r.Runtime, n)
		}
	}
	var chosen []Transport
	for _, t := range r.Transports {
		t.Transports = slices.DeleteFunc(slices.Clone(t.Transports), func(n bench.Transport) bool { return !slices.Contains(names, n) })
		if len(t.Transports) > 0 {
			chosen = append(chosen, t)
		}
	}
	return chosen, nil
}

// transportNames gives the transports of some headers, each once, ordered.
func transportNames(all []Transport, roles ...Role) []bench.Transport {
	names := []bench.Transport{}
	for _, t := range all {
		if len(roles) == 0 || slices.Contains(t.Roles, roles[0]) {
			names = append(names, t.Transports...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// encodings gives the content codings of some headers, each once.
func encodings(all []Transport) []string {
	var out []string
	for _, t := range all {
		for _, e := range t.Encodings {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}
