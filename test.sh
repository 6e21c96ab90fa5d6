#!/usr/bin/env bash
# Runs every check of the project, from any folder:
#
#   ./test.sh
#
# Tests that need something which is not here (the corpora beside the project,
# protoc, another runtime) fail, so that a pass means that nothing was left out. To skip them
# instead:
#
#   WIRECOST_REQUIRE= ./test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export WIRECOST_REQUIRE="${WIRECOST_REQUIRE-all}"
golangci_lint=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# stage NAME COMMAND… runs the command and prints how long it took.
stage() {
	current=$1
	local start=$SECONDS
	printf '\n== %s\n' "$current"
	shift
	"$@"
	printf '== %s: %d s\n' "$current" $((SECONDS - start))
}
current=start
trap 'printf "\n== %s FAILED\n" "$current" >&2' ERR
set -o errtrace

# install brings packages of Debian and Ubuntu, or says what to install.
install() {
	if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
		echo "To install as root on Debian or Ubuntu, or likewise elsewhere: $*"
		return
	fi
	local get=(apt-get install -y -qq --no-install-recommends "$@")
	DEBIAN_FRONTEND=noninteractive "${get[@]}" >/dev/null 2>&1 ||
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive "${get[@]}" >/dev/null; }
}

# tools installs what tests start besides Go: protoc, a Redis server, and what
# runtimes lack of the system's packages by their own word.
tools() {
	command -v protoc >/dev/null || install protobuf-compiler libprotobuf-dev
	command -v redis-server >/dev/null || install redis-server
	local packages
	packages=$(go run ./cmd/wirecost doctor | sed -nE 's/.*get it: apt-get install -y ([^,;()]*).*/\1/p' | tr '\n' ' ')
	if [[ -n $packages ]]; then
		# shellcheck disable=SC2086
		install $packages
	fi
}

# runtimes brings the libraries that runners pin.
runtimes() { go run ./cmd/wirecost setup --progress plain all || [[ $WIRECOST_REQUIRE != all ]]; }

format() {
	local files
	files=$(gofmt -l .)
	if [[ -n $files ]]; then
		printf 'not formatted (run gofmt -w .):\n%s\n' "$files"
		return 1
	fi
}

# elsewhere compiles for the systems that these tests do not run on.
elsewhere() {
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build ./...
}

# fuzz tries a little of what readers of foreign data must bear. The number of
# inputs is fixed rather than the time, so that a slow machine tries as much.
fuzz() {
	local file name
	while IFS=: read -r file name; do
		go test -run '^$' -fuzz "^$name\$" -fuzztime 3000x "./$(dirname "$file")" </dev/null
	done < <(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' cmd internal | sed 's/:func /:/' | sort)
}

stage tools tools
stage runtimes runtimes
stage gofmt format
stage vet go vet ./...
stage test go test -timeout 60m ./runners ./... # what takes longest begins first
stage fuzz fuzz
stage "other systems" elsewhere
stage lint go run "$golangci_lint" run ./...
printf '\n== all passed in %d s\n' "$SECONDS"
