package schema

import (
	"fmt"
	"regexp"
	"strings"

	"wirecost/internal/strictjson"
)

// The thresholds below which keys are names. They look at the union of all
// documents, so their order cannot matter.
const (
	mapObjects  = 40   // keys with objects of one shape
	mapScalars  = 100  // keys with scalars or lists of one kind
	mapSparse   = 20   // keys of which each object has only a few
	sparseShare = 0.25 // of the keys, in an average object
	fixedShare  = 0.9  // of the keys, from which a set of keys is fixed
	fixedCount  = 10   // objects that show that a set of keys is fixed
	alikeShare  = 0.5  // of all keys, that each value's objects must have on average
)

// decideMaps finds objects that are used as maps, from the inside out, and makes
// their members one. Merged values are looked at again: together they show more.
func decideMaps(v *place) {
	v.collapseWhere(func(v *place) (string, bool) {
		why := v.obj().mapReason(v.override.modeOf())
		return why, why != ""
	})
}

// mapReason says why the object is a map, or is empty.
func (o *objectSeen) mapReason(mode overrideMode) string {
	n := len(o.members)
	if mode == overrideNoMap || n == 0 || n == 1 && !clearlyData(o.members[0].key) {
		return ""
	}
	kind, alike := o.alike()
	if !alike {
		return ""
	}
	fixed := o.count >= fixedCount && o.filled() >= fixedShare
	class, data := keyClass(o.members)
	switch {
	case data && (class == keysNumbers || !fixed || n > mapObjects):
		return fmt.Sprintf("its keys (%d) are %s", n, class)
	case fixed:
		return ""
	case kind == strictjson.Object && n >= mapObjects || n >= mapScalars:
		return fmt.Sprintf("its %d keys have values of one shape", n)
	case n >= mapSparse && o.count >= 5 && o.filled() <= sparseShare:
		return fmt.Sprintf("each object has only a few of its %d keys", n)
	}
	return ""
}

// maybeMap tells whether the object could be a map, for a note.
func (o *objectSeen) maybeMap() bool {
	if len(o.members) < 10 {
		return false
	}
	kind, alike := o.alike()
	return alike && kind == strictjson.Object && !(o.count >= fixedCount && o.filled() >= fixedShare)
}

// filled is the share of its keys that an average object has.
func (o *objectSeen) filled() float64 {
	return share(o.entries, o.count*int64(len(o.members)))
}

// alike tells whether all values are of one kind and, if they are objects, have
// mostly the same keys (or are maps themselves).
func (o *objectSeen) alike() (strictjson.Kind, bool) {
	kind := strictjson.Null
	for _, m := range o.members {
		for _, k := range m.value.kinds() {
			if kind != strictjson.Null && kind != k.kind {
				return kind, false
			}
			kind = k.kind
		}
	}
	return kind, kind == strictjson.Object && o.sameKeys() || kind != strictjson.Object && kind != strictjson.Null
}

func (o *objectSeen) sameKeys() bool {
	all := map[string]bool{}
	keys, objects, maps := 0, 0, 0
	for _, m := range o.members {
		in := m.value.obj()
		switch {
		case in == nil:
		case in.values != nil:
			maps++
		case len(in.members) > 0:
			objects++
			keys += len(in.members)
			for _, k := range in.members {
				all[k.key] = true
			}
		}
	}
	if objects == 0 {
		return maps > 0
	}
	return maps == 0 && float64(keys) >= alikeShare*float64(objects*len(all))
}

var (
	uuidKey = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	dateKey = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2})?([T ][0-9:.Z+-]*)?$`)
	hexKey  = regexp.MustCompile(`^([0-9a-f]{16,}|[0-9A-F]{16,})$`)
)

// keyClass tells whether all keys look like data, and like what.
func keyClass(members []*memberSeen) (string, bool) {
	class := ""
	for _, m := range members {
		c := classOfKey(m.key)
		switch {
		case c == "":
			return "", false
		case class == "" || class == c:
			class = c
		default:
			class = "data rather than names"
		}
	}
	return class, true
}

const keysNumbers = "numbers"

// clearlyData tells whether a single key shows that its object is a map.
func clearlyData(key string) bool {
	switch classOfKey(key) {
	case keysNumbers:
		return len(key) >= 4
	case "UUIDs", "dates", "hexadecimal ids":
		return true
	}
	return false
}

func classOfKey(key string) string {
	switch {
	case key == "":
		return ""
	case strings.Trim(key, "0123456789") == "" || key[0] == '-' && len(key) > 1 && strings.Trim(key[1:], "0123456789") == "":
		return keysNumbers
	case uuidKey.MatchString(key):
		return "UUIDs"
	case dateKey.MatchString(key):
		return "dates"
	case hexKey.MatchString(key) && strings.ContainsAny(key, "0123456789"):
		return "hexadecimal ids"
	case key[0] == '/' || strings.Contains(key, "://"):
		return "paths"
	case strings.IndexByte(key, '@') > 0 && strings.IndexByte(key, '.') > 0:
		return "addresses"
	case isDigit(key[0]):
		return "words that begin with a digit"
	}
	return ""
}

// mapNote says why the object at path is a map; nothing where the user said so.
func (o *objectSeen) mapNote(path string, mode overrideMode, maxKeys int) string {
	if mode == overrideMap {
		return ""
	}
	why := o.why
	if why == "" {
		why = fmt.Sprintf("it has more than %d distinct keys", maxKeys)
	}
	return fmt.Sprintf("a map: %s; --no-map '%s' makes them fields", why, path)
}
