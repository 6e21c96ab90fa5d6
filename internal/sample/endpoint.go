package sample

import (
	"net/url"
	"regexp"
	"strings"
)

// placeholder stands for the part of a path that differs from call to call.
const placeholder = "{id}"

// endpointName gives what the calls of one endpoint have in common, as
// "GET api.example.com/orders/{id}". The query, the fragment and the user
// information of the URL are dropped, and so is every segment of the path that
// does not look like a word of an API: it may be an identifier or a secret.
// It also tells whether anything was dropped.
func endpointName(method, address string) (name string, dropped bool) {
	name = cleanMethod(method) + " "
	u, err := url.Parse(address)
	switch {
	case err != nil: // its text quotes the URL
		return name + "unreadable-url", true
	case u.Host == "":
		return name + strings.ToLower(u.Scheme+":"), true
	}
	name += host(u) + template(u.EscapedPath())
	return name, u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Path, ";") || strings.Contains(name, placeholder)
}

// cleanMethod gives the method of a request, if it can be one.
func cleanMethod(method string) string {
	if methodWord.MatchString(method) {
		return strings.ToUpper(method)
	}
	return "OTHER"
}

var (
	methodWord = regexp.MustCompile(`^[A-Za-z]{1,16}$`)
	hostLabel  = regexp.MustCompile(`^[a-z0-9_-]{1,63}$`)
	version    = regexp.MustCompile(`^[vV][0-9]{1,2}([._][0-9]{1,3}){0,2}((alpha|beta|rc)[0-9]{0,2}){0,2}$`)
	word       = regexp.MustCompile(`^[A-Za-z]+[0-9]?$`)
	hexWord    = regexp.MustCompile(`^[0-9A-Fa-f]{8,}$`)
)

// host gives the host and port of a URL, with labels that look made up replaced.
func host(u *url.URL) string {
	if strings.HasPrefix(u.Host, "[") { // an address of IPv6
		return strings.ToLower(u.Host)
	}
	labels := strings.Split(strings.ToLower(u.Hostname()), ".")
	for i, label := range labels {
		if !hostLabel.MatchString(label) || len(label) >= 16 && !plain(label) {
			labels[i] = placeholder
		}
	}
	name := strings.Join(labels, ".")
	if port := u.Port(); port != "" {
		name += ":" + port
	}
	return name
}

// template gives a path with placeholders.
func template(path string) string {
	var out []string
	hidden := nothingHidden
	for _, segment := range strings.Split(path, "/") {
		segment, _, _ = strings.Cut(segment, ";") // path parameters, such as a session's
		if segment == "" || segment == "." {
			continue
		}
		if hidden != nothingHidden && version.MatchString(segment) { // as in /auth/v1/SECRET
			out = append(out, segment)
			continue
		}
		announced, entirely := announces(segment)
		identifier := !plain(segment) || announced != nothingHidden && !entirely && strings.Contains(segment, ":") // as key:SECRET
		if identifier || hidden != nothingHidden && !entirely {
			segment = placeholder
		}
		out = append(out, segment)
		if hidden == identifierHidden && identifier {
			hidden = nothingHidden
		}
		hidden = max(hidden, announced)
	}
	return "/" + strings.Join(out, "/")
}

// plain tells whether a segment of a path looks like a word, or some words, of
// an API, and not like a number, a UUID, a hash, a token or a name with digits.
// Where it errs, it errs towards leaving out: calls are then grouped together.
func plain(segment string) bool {
	if len(segment) > 40 {
		return false
	}
	if version.MatchString(segment) {
		return true
	}
	pieces := strings.FieldsFunc(segment, func(r rune) bool { return strings.ContainsRune("-_.:~", r) })
	for _, p := range pieces {
		if !word.MatchString(p) || hexWord.MatchString(p) || !pronounceable(p) {
			return false
		}
	}
	return len(pieces) > 0
}

// pronounceable tells a word, or several written as one, from random letters.
// Words of people have vowels, seldom more than twenty letters, and capitals at
// their beginnings or throughout.
func pronounceable(p string) bool {
	if len(p) > 24 {
		return false
	}
	if len(p) < 8 {
		return true
	}
	vowels, capitals, humps := 0, 0, 0
	for i, r := range p {
		if strings.ContainsRune("aeiouyAEIOUY", r) {
			vowels++
		}
		if 'A' <= r && r <= 'Z' {
			capitals++
			if i > 0 && 'a' <= p[i-1] && p[i-1] <= 'z' {
				humps++
			}
		}
	}
	if capitals == len(p) {
		return len(p) <= 10 && vowels > 0
	}
	return vowels*5 >= len(p) && humps*4 <= len(p)
}
