package runners_test

// goSchema is a schema with its samples: each a root message and documents.
type goSchema struct {
	name    string
	proto   string
	samples []goSample
	fit     bool // to how the documents spell their JSON
	noVT    bool // vtprotobuf cannot handle it
}

type goSample struct {
	name, root string
	documents  []string
}

var goSchemas = []goSchema{
	{
		name: "proto3",
		proto: `syntax = "proto3";
package kitchen;
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "wirecost/json.proto";

message Scalars {
  bool a_bool = 1; int32 a_int32 = 2; int64 a_int64 = 3; uint32 a_uint32 = 4; uint64 a_uint64 = 5;
  sint32 a_sint32 = 6; fixed64 a_fixed64 = 7; sfixed32 a_sfixed32 = 8; float a_float = 9; double a_double = 10;
  string a_string = 11; bytes a_bytes = 12; Color a_color = 13;
}
enum Color { RED = 0; GREEN = 1; BLUE = -3; }

message Optionals {
  optional bool b = 1; optional int64 i = 2; optional double d = 3; optional string s = 4; optional bytes y = 5;
  optional Color c = 6; Scalars nested = 7; optional string always = 8 [(wirecost.absent) = NULL];
  repeated string list = 9 [(wirecost.absent) = NULL]; optional Scalars boxed = 10 [(wirecost.absent) = NULL];
  string omitted = 11 [(wirecost.absent) = OMIT]; int32 zero = 12 [(wirecost.absent) = OMIT];
  double real = 13 [(wirecost.absent) = OMIT]; Color tint = 14 [(wirecost.absent) = OMIT]; bool flag = 15 [(wirecost.absent) = OMIT];
  optional bytes blob = 16 [(wirecost.absent) = NULL]; optional int64 count = 17 [(wirecost.absent) = NULL, (wirecost.repr) = STRING];
}

message Many {
  repeated int64 ints = 1; repeated double reals = 2; repeated string texts = 3 [(wirecost.absent) = WRITE]; repeated bytes blobs = 4;
  repeated Color colors = 5; repeated bool flags = 6; repeated Scalars messages = 7;
  map<string, string> texts_of = 8; map<int64, double> reals_of = 9; map<bool, Color> colors_of = 10; map<uint32, Scalars> messages_of = 11;
  map<string, int64> empty = 12 [(wirecost.absent) = WRITE]; map<string, Row> rows_of = 13;
}

message Spelt {
  int64 quoted = 1 [(wirecost.repr) = STRING]; optional uint64 maybe = 2 [(wirecost.repr) = STRING]; repeated int64 quotes = 3 [(wirecost.repr) = STRING];
  map<string, double> prices = 4 [(wirecost.repr) = STRING]; string number = 5 [(wirecost.repr) = NUMBER]; repeated string numbers = 6 [(wirecost.repr) = NUMBER];
  bytes hex = 7 [(wirecost.repr) = HEX]; optional bytes uuid = 8 [(wirecost.repr) = UUID]; Color color = 9 [(wirecost.repr) = NUMBER];
  optional Color shade = 10 [(wirecost.repr) = STRING]; repeated Color shades = 11 [(wirecost.repr) = NUMBER]; double price = 12 [(wirecost.repr) = STRING];
}

message Free {
  google.protobuf.Value any = 1; repeated google.protobuf.Value anys = 2; map<string, google.protobuf.Value> by = 3;
  google.protobuf.NullValue nothing = 4; optional google.protobuf.NullValue maybe = 5; google.protobuf.Value null = 6 [(wirecost.absent) = NULL];
  google.protobuf.Struct object = 7; google.protobuf.ListValue list = 8;
}

message Times {
  google.protobuf.Timestamp at = 1; repeated google.protobuf.Timestamp ats = 2; google.protobuf.Duration took = 3; map<string, google.protobuf.Timestamp> by = 4;
  google.protobuf.Timestamp seen = 5 [(wirecost.absent) = NULL];
}

message Wrapped {
  google.protobuf.StringValue s = 1; google.protobuf.Int64Value i = 2; google.protobuf.BoolValue b = 3; google.protobuf.DoubleValue d = 4; google.protobuf.BytesValue y = 5;
  repeated google.protobuf.StringValue ss = 6;
}

message Mixed {
  option (wirecost.form) = UNION;
  oneof value { string s = 1; double n = 2; Leafy o = 3; bool b = 4; Row r = 5; google.protobuf.NullValue z = 6; }
}
message Whole { option (wirecost.form) = UNION; oneof value { int64 i = 1; string s = 2; } }
message Row { option (wirecost.form) = BARE; repeated double v = 1; }
message Table { option (wirecost.form) = BARE; repeated Row v = 1; }
message Dictionary { option (wirecost.form) = BARE; map<string, Mixed> v = 1; }
message Leafy { string sku = 1; optional Leafy child = 2; repeated Leafy kids = 3; Mixed mixed = 4; }
message Unions {
  Mixed one = 1; repeated Mixed list = 2; map<string, Mixed> by = 3; optional Row tags = 4; Table grid = 5; Dictionary words = 6; Whole whole = 7;
  Mixed null = 8 [(wirecost.absent) = NULL]; repeated Table grids = 9;
}

message Chosen {
  oneof choice { string text = 1; int64 number = 2; Chosen object = 3; Color color = 4; bytes raw = 5; Empty empty = 6; }
  oneof other { bool on = 7; float ratio = 8; }
}
message Empty {}

message Keys {
  optional int32 k7 = 1 [json_name = "7"]; optional string dash = 2 [json_name = "a-b"]; optional string class = 3; optional Leafy proto = 4 [json_name = "__proto__"];
  optional string snake = 5 [json_name = "foo_bar"]; optional string camel = 6 [json_name = "fooBar"]; optional string upper = 7 [json_name = "FOOBAR"];
  optional string german = 8 [json_name = "größe"]; optional string kanji = 9 [json_name = "名前"]; optional bool eof = 10 [json_name = "EOF"];
  optional string punct = 11 [json_name = "!#$%&()*+-./:;<=>?@[]^_{|}~ x"]; optional string omit = 12 [json_name = "omitempty"]; string spaced = 13 [json_name = " "];
}

message Hostile {
  optional string quote = 1 [json_name = "q\"u,o\\te \n\u00e9 */ {{.}} ${x} #{y}"]; int64 quoted = 2 [json_name = "it's", (wirecost.repr) = STRING];
  optional string emoji = 3 [json_name = "\U0001f600"]; repeated string tick = 4 [json_name = "` + "`" + `"]; Mixed minus = 5 [json_name = "-"];
  string comma = 6 [json_name = "a,b"]; optional uint64 maybe = 7 [(wirecost.repr) = STRING]; string plain = 8; double real = 9 [(wirecost.absent) = OMIT];
}
message Nested { Hostile hostile = 1; repeated Hostile many = 2; map<string, Hostile> by = 3; }
`,
		samples: []goSample{
			{"scalars", "kitchen.Scalars", []string{
				`{"aBool":true,"aInt32":-2147483648,"aInt64":9223372036854775807,"aUint32":4294967295,"aUint64":18446744073709551615,"aSint32":-1,"aFixed64":9007199254740993,"aSfixed32":-7,"aFloat":0.1,"aDouble":-5e-324,"aString":"é😀\u0000\u2028","aBytes":"AAECA/8=","aColor":"BLUE"}`,
				`{"aBool":false,"aInt32":0,"aInt64":0,"aUint32":0,"aUint64":0,"aSint32":0,"aFixed64":0,"aSfixed32":0,"aFloat":0,"aDouble":0,"aString":"","aBytes":"","aColor":"RED"}`,
				`{"aBool":true,"aInt32":5,"aInt64":-9223372036854775808,"aUint32":1,"aUint64":1,"aSint32":1,"aFixed64":1,"aSfixed32":1,"aFloat":-3.4e38,"aDouble":1.7976931348623157e308,"aString":"<a&b>","aBytes":"AA==","aColor":"GREEN"}`,
				`{"aBool":true,"aInt32":5,"aInt64":1,"aUint32":1,"aUint64":1,"aSint32":1,"aFixed64":1,"aSfixed32":1,"aFloat":16777216,"aDouble":123456789012345680,"aString":"x","aBytes":"AA==","aColor":"GREEN"}`,
			}},
			{"optionals", "kitchen.Optionals", []string{
				`{"always":null,"list":null,"boxed":null}`,
				`{"b":false,"i":0,"d":0,"s":"","y":"","c":"RED","nested":{"aBool":false,"aInt32":0,"aInt64":0,"aUint32":0,"aUint64":0,"aSint32":0,"aFixed64":0,"aSfixed32":0,"aFloat":0,"aDouble":0,"aString":"","aBytes":"","aColor":"RED"},"always":"","list":["",""],"boxed":null}`,
				`{"b":true,"i":-1,"d":-0.5,"s":"s","y":"//8=","c":"GREEN","always":"a","list":["x"],"boxed":null,"blob":"","count":"-5","omitted":"o","zero":-1,"real":2.5,"tint":"BLUE","flag":true}`,
				`{"d":-0,"always":null,"list":null,"boxed":null,"real":-0}`,
				`{"d":-0.0,"always":null,"list":null,"boxed":null,"real":-0.0}`,
			}},
			{"many", "kitchen.Many", []string{
				`{"texts":[],"empty":{}}`,
				`{"ints":[1,-1,0],"reals":[1.5,1e300,0],"texts":["","a"],"blobs":["","AA=="],"colors":["RED","BLUE"],"flags":[true,false],"messages":[{"aBool":true,"aInt32":1,"aInt64":1,"aUint32":1,"aUint64":1,"aSint32":1,"aFixed64":1,"aSfixed32":1,"aFloat":1,"aDouble":1,"aString":"1","aBytes":"","aColor":"RED"}],"textsOf":{"":"","__proto__":"p","é":"e"},"realsOf":{"-9223372036854775808":1.5,"0":0},"colorsOf":{"true":"GREEN","false":"RED"},"messagesOf":{"4294967295":{"aBool":false,"aInt32":0,"aInt64":0,"aUint32":0,"aUint64":0,"aSint32":0,"aFixed64":0,"aSfixed32":0,"aFloat":0,"aDouble":0,"aString":"","aBytes":"","aColor":"RED"}},"empty":{"k":9007199254740993},"rowsOf":{"a":[],"b":[1]}}`,
			}},
			{"spelt", "kitchen.Spelt", []string{
				`{"quoted":"-9223372036854775808","maybe":"18446744073709551615","quotes":["1","0","-5"],"prices":{"a":"1.5","b":"0"},"number":123456789012345678901234567890.50,"numbers":[1.10,-0,1e400],"hex":"00ff10","uuid":"00112233-4455-6677-8899-aabbccddeeff","color":1,"shade":"-3","shades":[0,1],"price":"0.1"}`,
				`{"quoted":"0","number":0,"hex":"","color":0,"price":"0"}`,
			}},
			{"free", "kitchen.Free", []string{
				`{"nothing":null,"null":null}`,
				`{"any":null,"anys":[null,1,"a",true,[1,[2]],{"a":{}}],"by":{"n":null,"x":1.5},"nothing":null,"maybe":null,"null":{"a":[1,2.5,null,{"b":false}],"s":"x"},"object":{"k":[1]},"list":[{},"é"]}`,
				`{"any":5,"nothing":null,"null":"text"}`,
				`{"any":{"deep":{"er":[1e21,-1.5,123456789,"<&>"]}},"nothing":null,"null":null,"object":{},"list":[]}`,
			}},
			{"times", "kitchen.Times", []string{
				`{"at":"2024-05-01T10:00:00Z","ats":["2024-05-01T10:00:00.120Z","0001-01-01T00:00:00Z","9999-12-31T23:59:59.999999999Z"],"took":"1.500s","by":{"a":"1970-01-01T00:00:00.000001Z"},"seen":"0001-01-01T00:00:00Z"}`,
				`{"at":"0001-01-01T00:00:00Z","took":"-0.000000001s","seen":null}`,
				`{"seen":null}`,
			}},
			{"wrapped", "kitchen.Wrapped", []string{
				`{"s":"","i":0,"b":false,"d":0,"y":"","ss":["","a"]}`,
				`{"s":"x","i":-5,"b":true,"d":1.5,"y":"AA=="}`,
				`{}`,
			}},
			{"unions", "kitchen.Unions", []string{
				`{"one":"text","list":["1",1,-0.5,{"sku":"o"},true,[1,2],null,1e21,[],""],"by":{"a":null,"b":false,"c":{"sku":"","child":{"sku":"x","mixed":null},"kids":[{"sku":"k"}],"mixed":{"sku":"deep","mixed":[1]}}},"tags":[],"grid":[[1,2],[],[3.25]],"words":{"a":1,"b":null,"":[]},"whole":9007199254740993,"null":null,"grids":[[],[[]],[[1],[2,3]]]}`,
				`{"one":null,"whole":"s","null":"n","tags":[1],"grid":[],"words":{}}`,
				`{"null":{"sku":"z"}}`,
			}},
			{"chosen", "kitchen.Chosen", []string{
				`{"text":""}`, `{"number":0,"on":false}`, `{"object":{"object":{"number":9007199254740993},"ratio":0}}`, `{"color":"RED","ratio":1.5}`, `{"raw":"","on":true}`, `{"empty":{}}`, `{}`,
			}},
			{"keys", "kitchen.Keys", []string{
				`{"7":7,"a-b":"ab","class":"c","__proto__":{"sku":"pp"},"foo_bar":"snake","fooBar":"camel","FOOBAR":"upper","größe":"g","名前":"n","EOF":false,"!#$%&()*+-./:;<=>?@[]^_{|}~ x":"p","omitempty":"o"," ":"space"}`,
				`{"FOOBAR":"upper"," ":""}`,
				`{"foo_bar":"only"," ":""}`,
			}},
			{"hostile", "kitchen.Nested", []string{
				`{"hostile":{"q\"u,o\\te \né */ {{.}} ${x} #{y}":"odd","it's":"5","😀":"e","` + "`" + `":["t"],"-":null,"a,b":"","maybe":"18446744073709551615","plain":"p","real":0.5},"many":[{"it's":"0","a,b":"x","plain":""}],"by":{"k":{"-":{"sku":"m"},"it's":"-1","a,b":"c","plain":"<>"}}}`,
				`{}`,
			}},
			{"table", "kitchen.Table", []string{`[[1,2],[],[3.25]]`, `[]`}},
			{"mixed", "kitchen.Mixed", []string{`"s"`, `{"sku":"o"}`, `null`, `12.5`, `[1]`}},
		},
	},
	{
		name: "proto2", noVT: true,
		proto: `syntax = "proto2";
package old;
message Order {
  required string id = 1; optional int32 count = 2 [default = 7]; repeated int32 packed = 3 [packed = true]; repeated Line lines = 4;
  optional State state = 5 [default = OPEN]; repeated group Part = 6 { optional string name = 1; repeated sint64 sizes = 2; } map<string, Line> by = 7;
  enum State { CLOSED = 5; OPEN = 1; }
}
message Line { required double price = 1; optional bool gift = 2; optional Order back = 3; }
`,
		samples: []goSample{
			{"orders", "old.Order", []string{
				`{"id":"a","count":0,"packed":[1,-2,3],"lines":[{"price":1.5,"gift":false,"back":{"id":"inner"}}],"state":"CLOSED","part":[{"name":"","sizes":[-1,9007199254740993]},{}],"by":{"k":{"price":0}}}`,
				`{"id":""}`,
			}},
			{"lines", "old.Line", []string{`{"price":-1.25}`}},
		},
	},
	{
		name: "editions", noVT: true,
		proto: `edition = "2023";
package next;
option features.field_presence = IMPLICIT;
message Event { string name = 1; int64 at = 2; bool on = 3 [features.field_presence = EXPLICIT]; repeated int32 codes = 4 [features.repeated_field_encoding = EXPANDED]; Event parent = 5; }
`,
		samples: []goSample{{"events", "next.Event", []string{`{"name":"a","at":5,"on":false,"codes":[1,2],"parent":{"name":"","at":0}}`, `{"name":"","at":0}`}}},
	},
	{
		name: "explicit",
		proto: `edition = "2023";
package next;
message Event {
  string name = 1; int64 at = 2 [default = 5]; bool on = 3; repeated int32 codes = 4; repeated sint32 loose = 5 [features.repeated_field_encoding = EXPANDED];
  Event parent = 6; Kind kind = 7 [default = BIG]; enum Kind { option features.enum_type = CLOSED; BIG = 7; SMALL = 1; } repeated Kind kinds = 8;
  oneof either { bytes raw = 9; double real = 10; } string id = 11 [features.field_presence = LEGACY_REQUIRED];
}
`,
		samples: []goSample{{"events", "next.Event", []string{
			`{"name":"","at":0,"on":false,"codes":[1,2],"loose":[-1],"parent":{"id":"p"},"kind":"SMALL","kinds":["BIG","SMALL"],"raw":"","id":""}`, `{"real":-0.5,"id":"x","kind":"BIG","at":5}`}}},
	},
}
