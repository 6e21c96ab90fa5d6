package sample

import (
	"net/url"
	"regexp"
	"strings"
)

// hiding says how much of a path is left out behind a word that announces a
// secret, whatever it looks like.
type hiding int

const (
	nothingHidden    hiding = iota
	identifierHidden        // as far as the first segment that looks like an identifier: /sessions/ID/messages
	restHidden              // all that follows: /login/USER/PASSWORD
)

// announcers are the words, in the singular and without separators.
var announcers = hidingOf(map[hiding]string{
	identifierHidden: `access accesskey apikey code key pass passes pin session ticket`,
	restHidden: `2fa activate activation auth authenticate authentication authorise authorize authorization bearer
		confirm confirmation credential download hook invitation invite jwt link login logon magic magiclink mfa
		oauth oauth2 onetime otp passcode passphrase passwd password pwd recover recovery register registration
		reset saml secret share shared sharing signin signon signup sso token totp unsubscribe verification verify
		webhook`,
})

func hidingOf(words map[hiding]string) map[string]hiding {
	of := map[string]hiding{}
	for hidden, list := range words {
		for _, word := range strings.Fields(list) {
			of[word] = hidden
		}
	}
	return of
}

var piece = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)

// announces tells what is to be left out behind a segment of a path, and
// whether the segment consists of nothing but words that announce a secret.
func announces(segment string) (most hiding, entirely bool) {
	if plain, err := url.PathUnescape(segment); err == nil {
		segment = plain
	}
	entirely = true
	for _, name := range strings.Split(segment, ":") {
		pieces := piece.FindAllString(name, -1)
		if hidden := announcer(strings.Join(pieces, "")); hidden != nothingHidden { // "sign-in"
			pieces, most = nil, max(most, hidden)
		}
		for _, p := range pieces {
			hidden := announcer(p)
			most = max(most, hidden)
			entirely = entirely && hidden != nothingHidden
		}
	}
	return most, entirely
}

func announcer(word string) hiding {
	word = strings.ToLower(word)
	return max(announcers[word], announcers[strings.TrimSuffix(word, "s")])
}
