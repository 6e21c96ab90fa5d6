// Command acceptance simulates the measuring engine's statistics and prints, for
// each promise of docs/statistics.md, the bound and the worst rate over the kinds of machines
// and forks that it speaks of. The last claims are negative controls: there the bound
// must be missed. It exits with 1 where a result is not as it must be. With
// far fewer runs than 10,000 a bound may be missed by chance.
//
//	go run ./bench/acceptance -runs 10000
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"wirecost/internal/stats/accept"
)

func main() {
	runs := flag.Int("runs", 10_000, "simulated runs of each scenario")
	seed := flag.Uint64("seed", 20261130, "seed of the simulation")
	all := flag.Bool("all", false, "print every scenario, not only each claim's worst")
	flag.Parse()
	if *runs < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "acceptance: -runs must be at least 1, and there are no arguments")
		os.Exit(2)
	}
	checker := accept.Checker{Seed: *seed, Runs: func(accept.Scenario) int { return *runs }}
	fmt.Printf("%d runs of each scenario, seed %d; a look after every fork\n\n", *runs, *seed)
	printRow("claim", "bound", "measured", "ok", "scenario")
	if !check(&checker, *all) {
		os.Exit(1)
	}
}

// check prints the table and reports whether every bound was met.
func check(checker *accept.Checker, all bool) bool {
	good := true
	for _, claim := range accept.Claims() {
		results := checker.Check(claim)
		rows := []accept.Result{accept.Worst(results)}
		if all {
			rows = results
		}
		for _, r := range rows {
			printResult(r, len(results))
		}
		for _, r := range results {
			good = good && r.OK()
		}
	}
	return good
}

func printResult(r accept.Result, of int) {
	sign := "≤"
	if r.Claim.AtLeast {
		sign = "≥"
	}
	if r.Claim.Control {
		sign = "not " + sign
	}
	ok := "yes"
	if !r.OK() {
		ok = "NO"
	}
	printRow(r.Claim.Name, fmt.Sprintf("%s %.4g%%", sign, 100*r.Claim.Bound), fmt.Sprintf("%.2f%%", 100*r.Rate()), ok,
		fmt.Sprintf("%v (of %d)", r.Scenario, of))
}

func printRow(claim, bound, measured, ok, scenario string) {
	fmt.Println(strings.TrimRight(fmt.Sprintf("%-64s %8s %9s  %-3s %s", claim, bound, measured, ok, scenario), " "))
}
