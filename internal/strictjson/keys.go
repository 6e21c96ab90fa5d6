package strictjson

import (
	"bytes"
	"unsafe"
)

// fewKeys is the number of keys up to which comparing one by one beats a map.
const fewKeys = 12

// spareKeys is the number of keys up to which a map is worth keeping: emptying
// it takes as long as it has ever been large.
const spareKeys = 1024

// KeySet finds duplicate keys in nested objects: Open at an object's beginning,
// Add for each key, Close at its end. Keys without escapes are kept as slices of
// the document until their object is closed, so forget the set, or Reset it,
// before a document changes that was not read to its end.
type KeySet struct {
	Limit int                   // keys in one object
	keys  [][]byte              // of all open objects, innermost last
	base  int                   // where the innermost object's begin
	many  map[string]struct{}   // the innermost object's keys, where there are many
	spare []map[string]struct{} // empty, to be used again
}

// KeyMark is the state to which Close returns.
type KeyMark struct {
	base int
	many map[string]struct{}
}

// Open begins an object.
func (k *KeySet) Open() KeyMark {
	m := KeyMark{k.base, k.many}
	k.base, k.many = len(k.keys), nil
	return m
}

// Close ends the object that the mark's Open began.
func (k *KeySet) Close(m KeyMark) {
	clear(k.keys[k.base:])
	k.keys = k.keys[:k.base]
	if k.many != nil && len(k.many) <= spareKeys {
		clear(k.many)
		k.spare = append(k.spare, k.many)
	}
	k.base, k.many = m.base, m.many
}

// Reset forgets all keys.
func (k *KeySet) Reset() {
	clear(k.keys)
	*k = KeySet{Limit: k.Limit, keys: k.keys[:0], spare: k.spare}
}

// Add takes the scanner's key, and stops the scanner where the object had it before.
func (k *KeySet) Add(s *Scanner) bool {
	key := s.Text
	if s.Escaped {
		key = Unquote(nil, key)
	}
	if k.has(key) {
		s.Fail(DuplicateKey(s.Start, s.Text))
		return false
	}
	k.keys = append(k.keys, key)
	if n := len(k.keys) - k.base; n > k.Limit {
		s.Fail(TooManyKeys(s.Start, k.Limit))
		return false
	}
	return true
}

func (k *KeySet) has(key []byte) bool {
	own := k.keys[k.base:]
	if len(own) < fewKeys {
		for _, o := range own {
			if bytes.Equal(o, key) {
				return true
			}
		}
		return false
	}
	if k.many == nil {
		k.many = k.emptyMap()
		for _, o := range own {
			k.many[alias(o)] = struct{}{}
		}
	}
	before := len(k.many)
	k.many[alias(key)] = struct{}{}
	return len(k.many) == before
}

func (k *KeySet) emptyMap() map[string]struct{} {
	n := len(k.spare)
	if n == 0 {
		return make(map[string]struct{}, 4*fewKeys)
	}
	m := k.spare[n-1]
	k.spare = k.spare[:n-1]
	return m
}

// alias gives bytes as a string without copying. The set lives no longer than
// the walk over the document, which does not change the bytes.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
