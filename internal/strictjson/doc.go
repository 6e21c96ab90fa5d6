// Package strictjson reads JSON by RFC 8259 and nothing wider: it refuses
// duplicate keys, invalid UTF-8, lone surrogates, numbers out of grammar,
// trailing data and nesting beyond a limit, and says where. It exists because
// every common decoder in Go repairs or ignores at least one of these, and
// because reading gigabytes of samples must be fast.
package strictjson
