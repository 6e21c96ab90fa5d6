package study

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"wirecost/internal/bench"
)

// persons is how many people the large message holds.
const persons = 50_000

// signForks are forks enough for a sign test at 5% where all say the same. It takes
// minutes to have more of two JVMs or of a browser with one.
const signForks = 7

// The messages that cross.
const (
	everyone  = "people"
	realistic = "realistic"
	posted    = "post"
)

// The codecs that are measured; the server's follow from the client's.
const (
	javaProtobuf   = "java/protobuf"
	javaJSONFormat = "java/jsonformat"
	javaJackson    = "java/jackson2"
)

// browser is a client of the study: with its engine, as published.
type browser struct{ engine, protobuf, json string }

var (
	v8           = browser{"V8", "chromium/protobufjs", "chromium/json"}
	spiderMonkey = browser{"SpiderMonkey", "firefox/protobufjs", "firefox/json"}
	browsers     = []browser{spiderMonkey, v8}
)

func init() {
	clients := []string{"chromium", "firefox"}
	codecs := []string{v8.protobuf, v8.json, spiderMonkey.protobuf, spiderMonkey.json}
	register(&Study{
		Name:     "people-http",
		Title:    "50,000 people over HTTP, to browsers and between two Java backends",
		Question: "Does Protobuf speed up communication, also for JavaScript front ends?",
		Setting: []string{
			"A Spring Boot server has fifty thousand people in one message and gives it as Protobuf or as JSON, with and without gzip. A page fetches and decodes it with protobuf.js and with the browser's JSON, in a SpiderMonkey browser and in a V8 browser; a second Java backend does so with Protobuf's own classes. One small person is posted from the browser.",
		},
		Schema: `syntax = "proto3";
package demo;

message People {
  repeated Person person = 1;
}

message Person {
  string name = 1;
  repeated Address address = 2;
  repeated string mobile = 3;
  repeated string email = 4;
}

message Address {
  string street = 1;
  int32 number = 2;
}
`,
		Payloads: []Payload{
			{Name: everyone, Message: "demo.People", Count: 1, JSON: 12_850_000, Protobuf: 8_539_202, Document: func(int) []byte { return people(published) }},
			{Name: realistic, Message: "demo.People", Count: 1, JSON: 11_195_375, Protobuf: 6_986_814, Document: func(int) []byte { return people(invented) }},
			{Name: posted, Message: "demo.Person", Count: 1, JSON: 283, Protobuf: 172, Document: func(int) []byte { return []byte(oneperson) }},
		},
		Runs: []Run{
			{Name: "sizes", Payloads: []string{everyone, realistic, posted}, Encodings: []string{"identity", "gzip:6", "zstd:3", "br:4"}, SizesOnly: true},
			{
				Name: "java", Payloads: []string{everyone}, Runtimes: []string{"java"}, Codecs: []string{javaProtobuf, javaJSONFormat, javaJackson},
				Operations: []bench.Operation{bench.Decode}, Over: []bench.Transport{bench.HTTP}, Encodings: []string{"identity", "gzip:6"},
				Time: 175 * time.Second, Forks: signForks, Full: 8 * time.Minute,
			},
			{
				Name: "browsers", Payloads: []string{everyone}, Runtimes: clients, Server: "java", Codecs: codecs,
				Operations: []bench.Operation{bench.Decode}, Over: []bench.Transport{bench.HTTP}, Time: 95 * time.Second, Forks: signForks, Full: 4 * time.Minute,
			},
			{
				Name: "post", Payloads: []string{posted}, Runtimes: []string{"chromium"}, Server: "java", Codecs: []string{v8.protobuf, v8.json},
				Operations: []bench.Operation{bench.Encode}, Over: []bench.Transport{bench.HTTP}, Time: 70 * time.Second, Forks: signForks, Full: 15 * time.Minute,
			},
			{
				Name: "go", Payloads: []string{everyone}, Runtimes: []string{"go"}, Codecs: []string{goProtobuf, goJSON},
				Operations: []bench.Operation{bench.Decode}, Over: []bench.Transport{bench.HTTP}, Encodings: []string{"identity", "gzip:6"}, Time: 15 * time.Second,
			},
		},
		Figures: peopleFigures(),
		Claims:  peopleClaims(),
		Explanations: []Explanation{
			{"Which bytes the generator gives", peopleSizes},
			{"JSON in Java by a JSON library", jackson},
			{"What a browser's time is made of", browserParts},
			{"Go to Go beside it", goToGo},
			{"Percentages that the tables do not give", percentages},
			{"How much was measured", howMuch},
		},
		Differences: []string{
			"The study does not say which browser made its POSTs; here it is V8's.",
			"The two protocols' servers were two hosts in the study; here one process serves both, over the loopback interface.",
			"Java's heap is bounded to about 1 GB here: with a quarter of the machine's memory it would go on to fresh pages for dozens of requests, of which each takes several times as long as later ones.",
			"The JSON that browsers get is written by the server's usual library, Jackson; in the study it came from JsonFormat, as it does here between the two Java processes.",
			"An unset number is left out of JSON, as proto3's JSON has it: that of the first person, which is 0.",
		},
	})
}

// person is what a generator says of person i.
type person struct {
	name           string
	addresses      [2]string
	numbers        [2]int
	mobile, emails [2]string
}

// people writes all people as one document.
func people(of func(i int) person) []byte {
	out := []byte(`{"person":[`)
	for i := range persons {
		p := of(i)
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `{"name":%q,"address":[%s,%s],"mobile":[%q,%q],"email":[%q,%q]}`, p.name,
			address(p.addresses[0], p.numbers[0]), address(p.addresses[1], p.numbers[1]), p.mobile[0], p.mobile[1], p.emails[0], p.emails[1])
	}
	return append(out, "]}"...)
}

func address(street string, number int) string {
	if number == 0 {
		return fmt.Sprintf(`{"street":%q}`, street)
	}
	return fmt.Sprintf(`{"street":%q,"number":%d}`, street, number)
}

// published is the study's own generator.
func published(i int) person {
	street := fmt.Sprint("Street Number ", i)
	return person{
		fmt.Sprint("Person Number ", i), [2]string{street, street}, [2]int{i, i},
		[2]string{fmt.Sprint("111111", i), fmt.Sprint("222222", i)},
		[2]string{fmt.Sprintf("emailperson%d@somewhere.com", i), fmt.Sprintf("otheremailperson%d@somewhere.com", i)},
	}
}

const oneperson = `{"name":"Some person","address":[{"street":"Street","number":100},{"street":"Street","number":100},{"street":"Street","number":100}],` +
	`"mobile":["(1) 732-757-2923","(1) 732-757-2923","(1) 732-757-2923"],"email":["someone@somewhere.com","someone@somewhere.com","someone@somewhere.com"]}`

// What names, streets and addresses of the invented people are made of.
var (
	firstNames = strings.Fields("Ada Alan Amir Anna Ben Carla Chen Clara Daniel Diego Elena Emil Eva Femi Finn Grace Hana Hugo Ines Ivan Jonas Julia Kofi Lara Leo Lin Luis Maria Maya Mila Nadia Noah Olga Omar Paul Rosa Sara Theo Uma Wei Yusuf Zoe")
	surnames   = strings.Fields("Adeyemi Almeida Anders Bauer Berg Castro Chen Cohen Costa Dubois Ekström Fischer Garcia Haddad Hansen Ivanova Jansen Kaya Keller Kim Kowalski Kumar Lang Lopez Martin Meyer Moreau Nakamura Novak Okafor Olsen Patel Petrov Ricci Romero Rossi Sato Schmidt Silva Singh Tanaka Vargas Weber Wong Yilmaz Zhang")
	streets    = strings.Fields("Acacia Bridge Castle Cedar Chapel Church Elm Forest Garden Harbour High Hill Lake Linden Main Market Meadow Mill Oak Orchard Park Pine Queen River School Station Sunset Valley Walnut Willow")
	kinds      = strings.Fields("Street Road Lane Avenue Drive Close Square Way")
	domains    = strings.Fields("example.com example.org example.net mail.example post.example web.example")
)

// invented is a generator of people as they might be, the same every time.
func invented(i int) person {
	r := rand.New(rand.NewPCG(20261130, uint64(i)))
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	first, last := pick(firstNames), pick(surnames)
	p := person{name: first + " " + last}
	for k := range 2 {
		p.addresses[k], p.numbers[k] = pick(streets)+" "+pick(kinds), 1+r.IntN(250)
		p.mobile[k] = fmt.Sprintf("+%d %03d %03d %04d", 1+r.IntN(98), r.IntN(1000), r.IntN(1000), r.IntN(10000))
	}
	p.emails = [2]string{
		fmt.Sprintf("%s.%s%d@%s", strings.ToLower(first), strings.ToLower(last), r.IntN(1000), pick(domains)),
		fmt.Sprintf("%s%s%d@%s", strings.ToLower(first[:1]), strings.ToLower(last), 1950+r.IntN(60), pick(domains)),
	}
	return p
}

// get is a request for everyone, and the time until it is decoded.
func get(codec, encoding string) Cell {
	c := Cell{Run: "browsers", Sample: everyone, Codec: codec, Operation: bench.Get, Transport: bench.HTTP, Encoding: encoding, Peer: "java"}
	switch {
	case strings.HasPrefix(codec, "java/"):
		c.Run = "java"
	case strings.HasPrefix(codec, "go/"):
		c.Run, c.Peer = "go", "go"
	}
	return c
}

func post(codec string) Cell {
	return Cell{Run: "post", Sample: posted, Codec: codec, Operation: bench.Post, Transport: bench.HTTP, Peer: "java"}
}

func peopleSize(sample, form, encoding string) Measure {
	return SizeOf("sizes", sample, form, encoding)
}

func peopleFigures() []Figure {
	size := func(name, form, encoding string, mega float64) Figure {
		return Figure{Group: "payload", Name: name, Published: mega * 1e6, Unit: Bytes, Measured: peopleSize(everyone, form, encoding).Median()}
	}
	timed := func(group, name string, ms float64, c Cell) Figure {
		return Figure{Group: group, Name: name, Published: ms / 1e3, Unit: Seconds, Measured: Time(c).Times(1e-9).Median()}
	}
	text := func(share float64) Figure {
		return Figure{Group: "percentages of the text", Name: "Protobuf's time in JSON's; beside it, V8 here", Published: share, Unit: Share, Measured: Over(Time(get(v8.protobuf, "")), Time(get(v8.json, ""))).Median()}
	}
	return []Figure{
		size("Protobuf, gzip", "binary", "gzip", 1.0), size("JSON, gzip", "compact", "gzip", 1.1),
		size("Protobuf", "binary", bench.Identity, 8.9), size("JSON", "compact", bench.Identity, 12.6),
		timed("GET and decode", "SpiderMonkey, Protobuf", 620, get(spiderMonkey.protobuf, "")), timed("GET and decode", "SpiderMonkey, JSON", 583, get(spiderMonkey.json, "")),
		timed("GET and decode", "V8, Protobuf", 524, get(v8.protobuf, "")), timed("GET and decode", "V8, JSON", 761, get(v8.json, "")),
		text(0.72), text(0.49),
		timed("POST of one person from a browser", "Protobuf", 3.19527, post(v8.protobuf)), timed("POST of one person from a browser", "JSON", 3.31738, post(v8.json)),
		timed("Java to Java", "Protobuf, gzip", 234, get(javaProtobuf, "gzip")), timed("Java to Java", "JSON by JsonFormat, gzip", 701, get(javaJSONFormat, "gzip")),
		timed("Java to Java", "Protobuf", 146, get(javaProtobuf, "")), timed("Java to Java", "JSON by JsonFormat", 590, get(javaJSONFormat, "")),
	}
}

func peopleClaims() []Claim {
	shorter := func(what, encoding string, published float64) Ratio {
		return Ratio{What: what, Of: peopleSize(everyone, "binary", encoding), To: peopleSize(everyone, "compact", encoding), Published: published, Less: true}
	}
	of := func(what string, a, b Cell, published float64) Ratio {
		return Ratio{What: what, Of: Time(a), To: Time(b), Published: published, Less: published < 1}
	}
	return []Claim{
		{"1", "Protobuf is about 30% smaller without gzip and about 10% smaller with it", []Part{
			shorter("Protobuf to JSON", bench.Identity, 0.70), shorter("Protobuf to JSON, gzip", "gzip", 0.90),
		}},
		{"2", "In a V8 browser Protobuf needs less time than JSON (0.69); in SpiderMonkey slightly more (1.06)", []Part{
			of("GET in V8, Protobuf to JSON", get(v8.protobuf, ""), get(v8.json, ""), 0.69),
			of("GET in SpiderMonkey, Protobuf to JSON", get(spiderMonkey.protobuf, ""), get(spiderMonkey.json, ""), 1.06),
		}},
		{"3", "POSTs of one small person: Protobuf takes 4% less", []Part{
			of("POST, Protobuf to JSON", post(v8.protobuf), post(v8.json), 0.963),
		}},
		{"4", "Java to Java: Protobuf takes 33% of JSON's time with gzip and 24 to 25% without", []Part{
			of("Protobuf to JsonFormat, gzip", get(javaProtobuf, "gzip"), get(javaJSONFormat, "gzip"), 0.334),
			of("Protobuf to JsonFormat", get(javaProtobuf, ""), get(javaJSONFormat, ""), 0.247),
		}},
		{"5", "On a fast local link, gzip makes both slower", []Part{
			of("Java to Java, Protobuf, gzip to identity", get(javaProtobuf, "gzip"), get(javaProtobuf, ""), 1.60),
			of("Java to Java, JSON by JsonFormat, gzip to identity", get(javaJSONFormat, "gzip"), get(javaJSONFormat, ""), 1.19),
		}},
	}
}
