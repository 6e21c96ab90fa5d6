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
		t.places(r, op)
	}
	return t
}

// places says where ujson and Protobuf change places.
func (t *Told) places(r *Results, op bench.Operation) {
	at := crossing(op).locate(r, errorRate)
	n := at.at
	if at.problem != "" {
		n = Number{Problem: at.problem}
	}
	t.number("ujson and Protobuf change places, "+string(op), n)
	ahead := map[stats.Position]string{stats.Below: "ujson", stats.Above: "Protobuf"}
	switch {
	case at.problem == "" && at.first == at.last && at.first != stats.Open:
		t.say("By %s they do not change places: %s takes less with 100 phones and with 16,000.", op, ahead[at.first])
	case at.problem == "" && !n.Known():
		t.say("By %s it is not decided whether they change places.", op)
	default:
		t.say("By %s, they change places at %s.", op, with(n, "phones"))
	}
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

// everywhere shows the same document in the other runtimes that are ready.
func everywhere(r *Results) Told {
	sample := addressBook(1000)
	t := tell(r, "1000 phones", r.codecsOf("other runtimes", sample), times(Cell{Run: "other runtimes", Sample: sample}, "", bench.Encode, bench.Visit))
	if len(t.Rows) == 0 {
		t.lacks(r, "other runtimes")
		return t
	}
	t.say("%s", "These are the usual libraries of each runtime. Visit reads every field of what was decoded. Each runtime was measured beside the others, a process each in turn.")
	return t
}
