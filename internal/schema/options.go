package schema

import _ "embed"

// OptionsPath is the path under which schemas import wirecost's options.
const OptionsPath = "wirecost/json.proto"

// OptionsProto is the text of wirecost/json.proto: the custom options by which
// a .proto says how its messages look in JSON.
//
//go:embed wirecost/json.proto
var OptionsProto string
