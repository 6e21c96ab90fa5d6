package schema

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"wirecost/internal/testenv"
)

// testSchemas are the schemas in testdata, with what is special about them.
var testSchemas = []struct {
	file, message string
	files         int // in the normalised set, google's aside
	edition       bool
}{
	{"kitchen.proto", "Sink", 1, false},
	{"hostile.proto", "java.lang.class.String", 1, false},
	{"legacy.proto", "", 2, true},
	{"edition.proto", "M", 2, true},
}

func testSchema(t testing.TB, file, message string) *Schema {
	t.Helper()
	s, err := Compile(t.Context(), Source{File: filepath.Join("testdata", file), Message: message})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNormalised(t *testing.T) {
	for _, tt := range testSchemas {
		t.Run(tt.file, func(t *testing.T) {
			s := testSchema(t, tt.file, tt.message)
			for _, jsonNames := range []bool{false, true} {
				set, err := s.Normalised(jsonNames)
				if err != nil {
					t.Fatal(err)
				}
				checkSetNames(t, s, set, tt.files)
				generateGo(t, set)
				generateOthers(t, set, tt.edition)
			}
			roundTripRandom(t, s, 200)
		})
	}
}

// checkSetNames holds the set's names against the model's.
func checkSetNames(t *testing.T, s *Schema, set *descriptorpb.FileDescriptorSet, files int) {
	t.Helper()
	own := map[string]*descriptorpb.DescriptorProto{}
	n := 0
	for _, f := range set.File {
		if strings.HasPrefix(f.GetName(), "google/protobuf/") {
			continue
		}
		n++
		if f.GetPackage() != NormalisedPackage || f.GetOptions().GetGoPackage() != "" || len(f.Service)+len(f.Extension)+len(f.EnumType) > 0 {
			t.Errorf("%s: package %s, options %v", f.GetName(), f.GetPackage(), f.GetOptions())
		}
		for _, m := range f.MessageType {
			own[m.GetName()] = m
		}
	}
	if n != files {
		t.Errorf("%d files, want %d", n, files)
	}
	for _, m := range s.Model.Messages {
		d := own[m.ID]
		if d == nil || len(d.Field) != len(m.Fields) {
			t.Errorf("%s: not in the set as %s, or with other fields", m.Name, m.ID)
			continue
		}
		for i, f := range m.Fields {
			if d.Field[i].GetName() != f.ID || d.Field[i].GetNumber() != int32(f.Number) {
				t.Errorf("%s.%s: the set has %s = %d", m.Name, f.Name, d.Field[i].GetName(), d.Field[i].GetNumber())
			}
		}
	}
}

// generateGo runs the Go generator, which fails where names make no Go.
func generateGo(t *testing.T, set *descriptorpb.FileDescriptorSet) {
	t.Helper()
	req := &pluginpb.CodeGeneratorRequest{ProtoFile: set.File}
	params := []string{}
	for _, f := range set.File {
		if !strings.HasPrefix(f.GetName(), "google/protobuf/") {
			req.FileToGenerate = append(req.FileToGenerate, f.GetName())
			params = append(params, "M"+f.GetName()+"=example.com/pb;pb")
		}
	}
	req.Parameter = proto.String(strings.Join(params, ","))
	plugin, err := protogen.Options{}.New(req)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plugin.Files {
		if f.Generate {
			internal_gengo.GenerateFile(plugin, f)
		}
	}
	if r := plugin.Response(); r.Error != nil {
		t.Error(r.GetError())
	}
}

// generateOthers runs protoc's generators, where protoc is installed and knows
// the edition.
func generateOthers(t *testing.T, set *descriptorpb.FileDescriptorSet, edition bool) {
	t.Helper()
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		testenv.Skip(t, "needs protoc: not installed")
	}
	if version, _ := exec.Command(protoc, "--version").Output(); edition && strings.HasPrefix(string(version), "libprotoc 3.") {
		return // older than editions
	}
	dir := t.TempDir()
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "set.binpb")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"--descriptor_set_in=" + path, "--cpp_out=" + dir, "--java_out=" + dir, "--python_out=" + dir}
	for _, f := range set.File {
		if !strings.HasPrefix(f.GetName(), "google/protobuf/") {
			args = append(args, f.GetName())
		}
	}
	if out, err := exec.Command(protoc, args...).CombinedOutput(); err != nil {
		t.Errorf("protoc: %v\n%s", err, out)
	}
}

func TestNormalisedKeepsEnumValueNames(t *testing.T) {
	s := mustText(t, `syntax = "proto3"; message M { E e = 1; F f = 2; In.E g = 3; message In { enum E { M_IN_E_A = 0; A = 1; } } } enum E { ZERO = 0; A = 1; } enum F { F_ZERO = 0; F_A = 1; }`)
	plain, err := s.Normalised(false)
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.Normalised(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []*descriptorpb.FileDescriptorSet{plain, set} {
		generateOthers(t, set, false)
		generateGo(t, set)
	}
	if v := plain.File[0].MessageType[1].EnumType[0].Value[0].GetName(); v != "zero_" {
		t.Errorf("without JSON names the first value is %s", v)
	}
	got := map[string]string{}
	for _, m := range set.File[0].MessageType {
		for _, e := range m.EnumType {
			for _, v := range e.Value {
				got[m.GetName()] += e.GetName() + "." + v.GetName() + " "
			}
		}
	}
	want := map[string]string{
		"E_Scope": "E_.ZERO E_.A ", "F_Scope": "F_.F_ZERO F_.F_A ", "MInE_Scope": "Values_.M_IN_E_A Values_.A ",
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %q, want %q", k, got[k], v)
		}
	}
	roundTripRandom(t, s, 20)
}

func TestProtoJSONProblem(t *testing.T) {
	for _, tt := range []struct{ field, want string }{
		{`string a = 1;`, ""},
		{`string a = 1 [json_name = "7"];`, ""},
		{`string a = 1 [(wirecost.key) = "[x]"];`, "square brackets"},
		{`string a = 1 [(wirecost.key) = ""];`, "empty JSON key"},
		{`string a = 1 [(wirecost.key) = "a\000b"];`, "zero character"},
	} {
		s := mustText(t, `syntax = "proto3"; import "wirecost/json.proto"; message M { `+tt.field+` }`)
		got := s.ProtoJSONProblem()
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.field, got, tt.want)
		}
		if set, err := s.Normalised(true); err != nil || set.File[0].MessageType[0].Field[0].JsonName == nil != (tt.want != "") {
			t.Errorf("%s: json_name is set beside the problem (%v)", tt.field, err)
		}
		roundTripRandom(t, s, 5)
	}
}

func TestIdents(t *testing.T) {
	members, types := identSet{}, identSet{}
	for _, tt := range []struct{ name, want string }{
		{"foo_bar", "foo_bar_"}, {"fooBar", "foobar_2_"}, {"7", "x7_"}, {"class", "class_"}, {"é", "x_"}, {"", "x_2_"},
		{"__proto__", "proto_"}, {"a-b.c", "a_b_c_"}, {strings.Repeat("a", 10_000), strings.Repeat("a", maxIdent) + "_"},
	} {
		if got := members.member(tt.name); got != tt.want {
			t.Errorf("member %.20q: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct{ name, want string }{{"Outer.inner_type", "OuterInnerType_"}, {"OUTERINNERTYPE", "OUTERINNERTYPE_2_"}, {"9", "X9_"}} {
		if got := types.typeName(tt.name); got != tt.want {
			t.Errorf("type %q: %q, want %q", tt.name, got, tt.want)
		}
	}
}
