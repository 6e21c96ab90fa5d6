package schema

import "fmt"

// decide sets each field's key, spelling and meaning of absence to what most
// of the documents do.
func (f *fitter) decide() {
	for _, m := range f.schema.Model.Messages {
		for _, x := range m.Fields {
			t := f.tallies[x]
			f.decideRepr(t)
			if m.Form == FormObject {
				f.decideKey(t)
				f.decideAbsent(t)
			}
		}
	}
}

func (f *fitter) note(t *fieldTally, format string, args ...any) {
	f.notes = append(f.notes, Note{t.message.Name + "." + t.field.Name, fmt.Sprintf(format, args...)})
}

func (f *fitter) decideRepr(t *fieldTally) {
	if f.fixed[t.field] {
		return
	}
	switch {
	case isNumeric(t.field.Kind) && t.strings > t.numbers:
		t.field.Repr = ReprString
	case t.field.Kind == KindEnum && t.numbers > t.strings:
		t.field.Repr = ReprNumber
	default:
		return
	}
	f.note(t, "spelt as a %s in the documents", map[Repr]string{ReprString: "string", ReprNumber: "number"}[t.field.Repr])
}

func (f *fitter) decideKey(t *fieldTally) {
	if t.byName > t.byKey {
		t.field.Key = t.field.Name
		f.note(t, "the documents use the original name as the key")
	}
}

// decideAbsent looks at what stands for unset: a member with null, a member with
// the default value, or no member.
func (f *fitter) decideAbsent(t *fieldTally) {
	if t.explicit.absent {
		return
	}
	missing := f.objects[t.message] - t.byKey - t.byName
	write := t.unset
	if t.field.Presence {
		write = 0 // the default value is a value of its own
	}
	most := max(missing, write, t.null)
	switch {
	case most == 0:
		return
	case most == write:
		t.field.Absent = AbsentWrite
	case most == missing:
		t.field.Absent = AbsentOmit
	default:
		t.field.Absent = AbsentNull
	}
}

// alwaysSet reports whether a field had a value of its own in every object.
func (f *fitter) alwaysSet(m *Message, x *Field) bool {
	t := f.tallies[x]
	if m.Form != FormObject {
		return true
	}
	return t.null == 0 && t.unset == 0 && t.byKey+t.byName >= max(f.objects[m], 1)
}
