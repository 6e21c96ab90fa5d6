package strictjson

// Value is a JSON value that loses nothing but white space and the spelling of
// strings. The zero Value is null.
type Value struct {
	Kind    Kind
	Text    string   // a string's contents, a number as written
	Bool    bool     // of a Bool
	Elems   []Value  // of an Array
	Members []Member // of an Object, in the document's order
}

// Member is a key and a value of an object.
type Member struct {
	Key   string
	Value Value
}

// Get returns the member with that key.
func (v Value) Get(key string) (Value, bool) {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Parse reads one JSON value, as strictly as Check.
func Parse(data []byte, lim Limits) (Value, error) {
	p := parser{newChecker(data, lim)}
	v := p.value(p.scan.Value())
	if err := p.end(); err != nil {
		return Value{}, err
	}
	return v, nil
}

type parser struct{ *checker }

func (p parser) value(k Kind) Value {
	s := &p.scan
	v := Value{Kind: k}
	switch k {
	case Bool:
		v.Bool = s.Bool
	case Number:
		v.Text = string(s.Text)
	case String:
		v.Text = s.decoded()
	case Array:
		for first := true; s.Elem(first); first = false {
			v.Elems = append(v.Elems, p.value(s.Value()))
		}
	case Object:
		mark := p.keys.Open()
		for first := true; s.Key(first); first = false {
			if !p.keys.Add(s) {
				return v
			}
			key := s.decoded()
			v.Members = append(v.Members, Member{key, p.value(s.Value())})
		}
		p.keys.Close(mark)
	}
	return v
}

// decoded returns the meaning of the last string or key.
func (s *Scanner) decoded() string {
	if s.Escaped {
		return string(Unquote(nil, s.Text))
	}
	return string(s.Text)
}

// Append appends the value as compact JSON; strings get the fewest escapes.
func (v Value) Append(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return append(dst, v.Text...)
	case String:
		return AppendQuoted(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i, e := range v.Elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.Append(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendQuoted(dst, m.Key), ':')
			dst = m.Value.Append(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}
