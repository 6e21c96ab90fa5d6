package schema

import (
	"fmt"
	"strings"

	"wirecost/internal/strictjson"
)

// A path names a place in documents: "$" is the document, ".key" or `["any key"]`
// a member, "[]" any element of an array, ".*" any value of a map.

// memberPath gives the path of a member.
func memberPath(path, key string) string {
	if isPlainKey(key) {
		return path + "." + key
	}
	return path + "[" + string(strictjson.AppendQuoted(nil, key)) + "]"
}

func isPlainKey(key string) bool {
	for i := 0; i < len(key); i++ {
		if c := key[i]; !isLetter(c) && (i == 0 || !isDigit(c) && c != '-') {
			return false
		}
	}
	return key != "" && len(key) < 100
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

type overrideMode uint8

const (
	overrideNone overrideMode = iota
	overrideMap
	overrideNoMap
	overrideExpand
)

// override is what the user said about a path and the paths below it.
type override struct {
	mode    overrideMode
	path    string // as given
	members map[string]*override
	any     *override // values of a map
	elem    *override
}

func (o *override) modeOf() overrideMode {
	if o == nil {
		return overrideNone
	}
	return o.mode
}

func (o *override) elemOf() *override {
	if o == nil {
		return nil
	}
	return o.elem
}

func (o *override) valueOf() *override {
	if o == nil {
		return nil
	}
	return o.any
}

func (o *override) memberOf(key string) *override {
	if o == nil {
		return nil
	}
	if m := o.members[key]; m != nil {
		return m
	}
	return o.any
}

// compileOverrides joins the paths of Map and NoMap into one tree; nil for none.
func compileOverrides(opt InferOptions) (*override, error) {
	if len(opt.Map)+len(opt.NoMap) == 0 {
		return nil, nil
	}
	root := &override{}
	for _, list := range []struct {
		paths []string
		mode  overrideMode
	}{{opt.Map, overrideMap}, {opt.NoMap, overrideNoMap}} {
		for _, path := range list.paths {
			at, err := root.walk(path)
			if err != nil {
				return nil, err
			}
			if at.mode != overrideNone && at.mode != list.mode {
				return nil, fmt.Errorf("path %s: said to be a map and not to be one", path)
			}
			at.mode, at.path = list.mode, path
		}
	}
	return root, nil
}

// walk goes down a path, making what is missing.
func (o *override) walk(path string) (*override, error) {
	rest, ok := strings.CutPrefix(path, "$")
	for ok && rest != "" {
		o, rest, ok = o.step(rest)
	}
	if !ok {
		return nil, fmt.Errorf("path %q: write it as $.key, $[\"odd key\"], $.list[].key or $.map.*", path)
	}
	return o, nil
}

func (o *override) step(rest string) (next *override, tail string, ok bool) {
	switch {
	case strings.HasPrefix(rest, "[]"):
		return made(&o.elem), rest[2:], true
	case strings.HasPrefix(rest, ".*"):
		return made(&o.any), rest[2:], true
	case strings.HasPrefix(rest, `["`):
		end := quotedEnd(rest[1:])
		if end < 0 || !strings.HasPrefix(rest[1+end:], "]") {
			return nil, "", false
		}
		v, err := strictjson.Parse([]byte(rest[1:1+end]), strictjson.Limits{})
		return o.below(v.Text), rest[end+2:], err == nil
	case strings.HasPrefix(rest, "."):
		end := strings.IndexAny(rest[1:], ".[")
		if end < 0 {
			end = len(rest) - 1
		}
		return o.below(rest[1 : 1+end]), rest[1+end:], end > 0
	}
	return nil, "", false
}

func (o *override) below(key string) *override {
	if o.members == nil {
		o.members = map[string]*override{}
	}
	m := o.members[key]
	o.members[key] = made(&m)
	return m
}

func made(at **override) *override {
	if *at == nil {
		*at = &override{}
	}
	return *at
}

// quotedEnd returns the offset behind a quoted string's closing quote, or −1.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}
