package runner

import (
	"encoding/json"

	"google.golang.org/protobuf/proto"

	"wirecost/internal/schema"
)

// Sets gives the files that generators in a build folder read: the model in JSON,
// and the normalised descriptor sets for Protobuf and for ProtoJSON.
func Sets(s *schema.Schema) (map[string][]byte, error) {
	model, err := json.Marshal(s.Model)
	if err != nil {
		return nil, err
	}
	sets := map[string][]byte{"model.json": model}
	for name, jsonNames := range map[string]bool{"set.binpb": false, "set-protojson.binpb": true} {
		set, err := s.Normalised(jsonNames)
		if err != nil {
			return nil, err
		}
		if sets[name], err = (proto.MarshalOptions{Deterministic: true}).Marshal(set); err != nil {
			return nil, err
		}
	}
	return sets, nil
}
