// Command wirecost says what a data format costs on the wire and in the CPU,
// measured on the user's own documents.
package main

import (
	"os"

	"wirecost/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
