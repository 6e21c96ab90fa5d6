package runner

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"wirecost/internal/schema"
)

// hostile are keys that end literals, comments and lines in many languages.
var hostile = []string{
	`"; rm -rf /`, "*/ x", `"""`, "a\nb", `\`, "`", "{{.}}", "${x}", "</script>", "\x00", "é", "😀", "__proto__", "../../x", "", "%s", "'",
}

func hostileModel() *schema.Model {
	m := &schema.Message{ID: "Root_", Form: schema.FormObject}
	for i, k := range hostile {
		m.Fields = append(m.Fields, &schema.Field{ID: "f" + strconv.Itoa(i) + "_", Key: k, Kind: schema.KindString})
	}
	return &schema.Model{Messages: []*schema.Message{m}, Roots: []schema.Root{{Sample: "s", Type: "Root_"}}}
}

func render(t *testing.T, files map[string]string, m *schema.Model, codecs ...string) (string, error) {
	t.Helper()
	f := fstest.MapFS{}
	r := &Runner{Manifest: Manifest{Runtime: "toy"}, FS: f, Digest: strings.Repeat("0123456789abcdef", 4)}
	for name, content := range files {
		f[name] = &fstest.MapFile{Data: []byte(content)}
		if base, ok := strings.CutPrefix(name, "codecs/"); ok && strings.Contains(content, codecMark) {
			c, _, _ := strings.Cut(base, ".")
			r.Codecs = append(r.Codecs, Codec{Name: c, File: name})
		}
	}
	var selection []Codec
	for _, c := range codecs {
		selection = append(selection, Codec{Name: c, File: "codecs/" + c + ".go.tmpl"})
	}
	dir := filepath.Join(t.TempDir(), "out")
	return dir, r.Render(m, selection, nil, dir)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRenderFiles(t *testing.T) {
	dir, err := render(t, map[string]string{
		"runner.json":       "{}",
		"plain.txt":         "{{left alone}}",
		"empty":             "",
		"sub/deep/x.c.tmpl": `{{.Runtime}} {{.Version}} {{len .Codecs}} {{codec "a"}} {{codec "b"}} {{(index .Roots 0).Type}} {{(.Message "Root_").ID}}{{if .Codec}}!{{end}}`,
		"blank.go.tmpl":     "{{/* nothing */}}\n",
		"part.inc.tmpl":     `{{define "greet"}}hello {{.}}{{end}}`,
		"codecs/a.go.tmpl":  `{{/* ` + codecMark + `*/}}{{.Codec.Name}} {{template "greet" "you"}}`,
		"codecs/b.go.tmpl":  `{{/* ` + codecMark + `*/}}b`,
		"codecs/help.tmpl":  `{{define "greet"}}bye{{end}}{{template "greet"}}`,
	}, hostileModel(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"plain.txt":    "{{left alone}}",
		"empty":        "",
		"sub/deep/x.c": "toy 0123456789ab 1 true false Root_ Root_",
		"codecs/a.go":  "a hello you",
		"codecs/help":  "bye",
	} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s: have %q; want %q", name, got, want)
		}
	}
	for _, name := range []string{"runner.json", "blank.go", "codecs/b.go", "part.inc", "part"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestRenderErrors(t *testing.T) {
	for _, x := range []struct{ template, want string }{
		{"\n{{.Nothing}}", "x.tmpl:2:2"},
		{"{{if}}", "x.tmpl:1"},
		{`{{message "Gone_"}}`, `no message "Gone_"`},
		{`{{enum "Gone_"}}`, `no enum "Gone_"`},
		{`{{(dict "a" 1).b}}`, `no entry for key "b"`},
		{`{{dict "a"}}`, "want pairs"},
		{`{{dict 1 2}}`, "want a string"},
		{`{{has "a" "b"}}`, "want a list"},
		{`{{join 1 "b"}}`, "want a list"},
		{`{{esc "bit" "%d" "%d" "x"}}`, "want byte, utf16 or rune"},
	} {
		if _, err := render(t, map[string]string{"x.tmpl": x.template}, hostileModel()); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: have %v; want %q", x.template, err, x.want)
		}
	}
}

// TestEscapes renders hostile keys into Go, whose own parser says whether the
// literals came out whole and true.
func TestEscapes(t *testing.T) {
	source := `package x
var a = []string{ {{range (index .Messages 0).Fields}}"{{esc "byte" "\\x%02x" "\\x%02x" .Key}}", {{end}} }
var b = []string{ {{range (index .Messages 0).Fields}}"{{esc "rune" "\\u%04x" "\\U%08x" .Key}}", {{end}} }
var c = []string{ {{range (index .Messages 0).Fields}}{{quoteGo .Key}}, {{end}} }
`
	dir, err := render(t, map[string]string{"x.go.tmpl": source}, hostileModel())
	if err != nil {
		t.Fatal(err)
	}
	out := read(t, dir, "x.go")
	if _, err := parser.ParseFile(token.NewFileSet(), "x.go", out, 0); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		_, list, ok := strings.Cut(line, "{ ")
		if !ok {
			continue
		}
		for i, literal := range strings.Split(strings.TrimSuffix(strings.TrimSpace(list), ",  }"), ", ") {
			got, err := strconv.Unquote(literal)
			if err != nil || got != hostile[i] {
				t.Errorf("%q became %s", hostile[i], literal)
			}
		}
	}
	if got, _ := escape("utf16", `\u%04x`, `\u%04x`, "a😀-"); got != `a\ud83d\ude00\u002d` {
		t.Errorf("utf16: %s", got)
	}
}

func TestFunctions(t *testing.T) {
	dir, err := render(t, map[string]string{"x.tmpl": `{{add 1 2}} {{sub 1 2}} {{lower "aB"}} {{upper "aB"}} {{contains "abc" "b"}} ` +
		`{{has (list "a" "b") "b"}} {{has (list "a") "b"}} {{join (list "a" 1) "-"}} {{(dict "k" "v").k}} {{camel "page_count_"}} {{pascal "page_count_"}} ` +
		`{{token (index (index .Messages 0).Fields 0)}}`}, hostileModel())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, dir, "x"), "3 -1 ab AB true true false a-1 v pageCount_ PageCount_ string"; got != want {
		t.Errorf("have %q; want %q", got, want)
	}
}

func TestToken(t *testing.T) {
	list := &schema.Field{Label: schema.LabelList}
	loop := &schema.Field{Kind: schema.KindMessage, Type: "Loop_"}
	m := &schema.Model{Messages: []*schema.Message{
		{ID: "Object_", Form: schema.FormObject},
		{ID: "Union_", Form: schema.FormUnion},
		{ID: "Bare_", Form: schema.FormBare, Fields: []*schema.Field{list}},
		{ID: "Twice_", Form: schema.FormBare, Fields: []*schema.Field{{Kind: schema.KindMessage, Type: "Bare_"}}},
		{ID: "Loop_", Form: schema.FormBare, Fields: []*schema.Field{loop}},
	}}
	for _, x := range []struct {
		field schema.Field
		want  string
	}{
		{*list, "array"},
		{schema.Field{Label: schema.LabelMap, Kind: schema.KindBool}, "object"},
		{schema.Field{Kind: schema.KindBool}, "bool"},
		{schema.Field{Kind: schema.KindInt64}, "number"},
		{schema.Field{Kind: schema.KindInt64, Repr: schema.ReprString}, "string"},
		{schema.Field{Kind: schema.KindString}, "string"},
		{schema.Field{Kind: schema.KindString, Repr: schema.ReprNumber}, "number"},
		{schema.Field{Kind: schema.KindEnum}, "string"},
		{schema.Field{Kind: schema.KindEnum, Repr: schema.ReprNumber}, "number"},
		{schema.Field{Kind: schema.KindBytes, Repr: schema.ReprHex}, "string"},
		{schema.Field{Kind: schema.KindTimestamp}, "string"},
		{schema.Field{Kind: schema.KindNull}, "null"},
		{schema.Field{Kind: schema.KindValue}, "any"},
		{schema.Field{Kind: schema.KindMessage, Type: "Object_"}, "object"},
		{schema.Field{Kind: schema.KindMessage, Type: "Union_"}, "any"},
		{schema.Field{Kind: schema.KindMessage, Type: "Bare_"}, "array"},
		{schema.Field{Kind: schema.KindMessage, Type: "Twice_"}, "array"},
		{schema.Field{Kind: schema.KindMessage, Type: "Loop_"}, "any"},
		{schema.Field{Kind: schema.KindMessage, Type: "Gone_"}, "any"},
	} {
		if got := schemaToken(m, &x.field); got != x.want {
			t.Errorf("%+v: have %s; want %s", x.field, got, x.want)
		}
	}
}

// TestPascal compares with the names that the Go generator itself gives.
func TestPascal(t *testing.T) {
	ids := []string{"a_", "page_count_", "_x_", "a1_", "a_1_", "a_b_c_", "a__b_", "url_", "x_Y_z_", "aB_", "a1b_", "ab2cd_", "Order_", "Order_Item_", "Order_item_", "A_"}
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("x.proto"), Syntax: proto.String("proto3"), Package: proto.String("p")}
	for _, id := range ids {
		file.MessageType = append(file.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(id)})
	}
	g, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{"x.proto"}, Parameter: proto.String("Mx.proto=x.test/p"), ProtoFile: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range g.Files[0].Messages {
		if got := pascal(ids[i]); got != m.GoIdent.GoName {
			t.Errorf("%s: have %s; the generator says %s", ids[i], got, m.GoIdent.GoName)
		}
	}
}
