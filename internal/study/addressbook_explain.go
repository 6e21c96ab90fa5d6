package study

import (
	"wirecost/internal/bench"
	"wirecost/internal/stats"
)

// lazyPython shows what Python's Protobuf leaves for later when it decodes.
func lazyPython(r *Results) Told {
	cell := Cell{Run: "python", Sample: addressBook(16000)}
	t := tell(r, "16,000 phones", pythonCodecs[:], times(cell, "python/json", bench.Decode, bench.Visit))
	decode := t.number("Protobuf to ujson, decode", Over(inPython("python/protobuf", bench.Decode, 16000), inPython("python/ujson", bench.Decode, 16000))(r).median())
	visit := t.number("Protobuf to ujson, visit", Over(inPython("python/protobuf", bench.Visit, 16000), inPython("python/ujson", bench.Visit, 16000))(r).median())
	share := t.number("Protobuf, decode to visit", Over(inPython("python/protobuf", bench.Decode, 16000), inPython("python/protobuf", bench.Visit, 16000))(r).median())
	t.say("Protobuf's decoding stops when its C code has the message; Python's objects are made when a program touches them. Visit decodes and then reads every field. With 16,000 phones Protobuf's decode takes %s of ujson's, and decode and visit %s; the decoding that was timed is %s of what a program that reads the list pays.",
		with(decode, Times), with(visit, Times), with(share, Times))
	for _, op := range []bench.Operation{bench.Decode, bench.Visit} {
		at := crossing(op).locate(r, errorRate)
		n := at.at
		if at.problem != "" {
			n = Number{Problem: at.problem}
		}
		t.number("ujson and Protobuf change places, "+string(op), n)
		if at.problem == "" && !n.Known() {
			t.say("By %s, ujson and Protobuf do not change places between 100 and 16,000 phones: at 100 the one that takes less is %s, and at 16,000 %s.", op, ahead(at.first), ahead(at.last))
			continue
		}
		t.say("By %s, they change places at %s.", op, with(n, "phones"))
	}
	return t
}

// tellToday adds the libraries that came after the study.
func tellToday(r *Results) Told {
	t := tell(r, "1000 phones", pythonToday, times(Cell{Run: "today", Sample: addressBook(1000)}, "python/json", bench.Encode, bench.Visit))
	for _, n := range []int{1000, 16000} {
		both := func(codec string) Measure {
			at := Cell{Run: "today", Sample: addressBook(n), Codec: codec, Operation: bench.Encode}
			encode := Time(at)
			at.Operation = bench.Visit
			return Sum(encode, Time(at))
		}
		orjson := t.number("orjson to Protobuf, encode and visit, "+addressBook(n), Over(both("python/orjson"), both("python/protobuf"))(r).median())
		msgspec := t.number("msgspec to Protobuf, encode and visit, "+addressBook(n), Over(both("python/msgspec"), both("python/protobuf"))(r).median())
		t.say("Encoding and reading %d phones, orjson takes %s of Protobuf's time and msgspec, which reads into typed objects, %s.", n, with(orjson, Times), with(msgspec, Times))
	}
	return t
}

// everywhere shows the same document in all runtimes that are ready.
func everywhere(r *Results) Told {
	sample := addressBook(1000)
	t := tell(r, "1000 phones", r.codecsOf("all runtimes", sample), times(Cell{Run: "all runtimes", Sample: sample}, "", bench.Encode, bench.Decode, bench.Visit))
	if len(t.Rows) == 0 {
		t.lacks(r, "all runtimes")
		return t
	}
	t.say("%s", "What a list costs is decided by the language and the library before it is decided by the format. Each runtime was measured beside the others, a fork each in turn.")
	return t
}

// ahead names what takes less time, of ujson and Protobuf.
func ahead(p stats.Position) string {
	switch p {
	case stats.Below:
		return "ujson"
	case stats.Above:
		return "Protobuf"
	}
	return "neither for sure"
}
