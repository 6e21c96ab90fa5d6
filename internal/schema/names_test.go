package schema

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for key, want := range map[string][2]string{
		"id":                       {"id", "Id"},
		"userID":                   {"user_id", "UserId"},
		"HTTPServer":               {"http_server", "HttpServer"},
		"foo_bar":                  {"foo_bar", "FooBar"},
		"foo--bar.baz":             {"foo_bar_baz", "FooBarBaz"},
		"7":                        {"k7", "K7"},
		"":                         {"key", "Key"},
		"é":                        {"key", "Key"},
		"__proto__":                {"proto", "Proto"},
		"google":                   {"google_field", "Google"},
		"mapEntry":                 {"map_entry", "MapEntryObject"},
		"v2Beta1":                  {"v2_beta1", "V2Beta1"},
		"\x00\xff*/":               {"key", "Key"},
		strings.Repeat("ab_", 100): {strings.TrimSuffix(strings.Repeat("ab_", 14)[:nameLength], "_"), strings.Repeat("Ab", 20)},
	} {
		if got := [2]string{fieldName(key), withoutEntry(messageName(key))}; got != want {
			t.Errorf("%.20q: %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"items": "item", "categories": "category", "boxes": "box", "address": "address", "status": "status", "kids": "kid", "bus": "bus", "branches": "branch", "classes": "class", "statuses": "status",
	} {
		if got := singular(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	for name, want := range map[string]string{"foo_bar": "fooBar", "k7": "k7", "a_2": "a2", "x_": "x", "foo_bar_baz": "fooBarBaz"} {
		if got := defaultJSONName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Names of one scope differ when case and "_" are ignored.
func TestNameSet(t *testing.T) {
	s := nameSet{}
	var got []string
	for _, n := range []string{"foo", "foo_2", "Foo", "fo_o", "foo2"} {
		got = append(got, s.take(n))
	}
	if want := "foo foo_2 Foo_3 fo_o_4 foo2_2"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestPaths(t *testing.T) {
	for _, key := range []string{"a", "a-b", "a.b", "", `q"u\o`, "7", "é", "]", "[]", ".*"} {
		path := memberPath("$.x[]", key) + ".*"
		root := &override{}
		at, err := root.walk(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := root.memberOf("x").elemOf().memberOf(key).valueOf(); got != at {
			t.Errorf("%s leads elsewhere", path)
		}
	}
}
