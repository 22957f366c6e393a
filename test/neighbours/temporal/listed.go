// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A listed difference: in these scenarios, and for these values, Belfry may differ for the reason.
type listed struct {
	Topic     string
	Scenarios []string
	Paths     []string
	Only      string // Belfry's value, if not any
	Reason    string
	used      []string
}

func loadListed(file string) ([]*listed, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []*listed
	return all, yaml.Unmarshal(text, &all)
}

// explain returns the entries that list every finding of an outcome, or false.
func explain(all []*listed, o outcome) ([]*listed, bool) {
	var used []*listed
	for _, f := range o.findings {
		i := slices.IndexFunc(all, func(l *listed) bool { return l.describes(o.scenario.name, f) })
		if i < 0 {
			return nil, false
		}
		used = append(used, all[i])
	}
	return used, true
}

func (l *listed) describes(name string, f finding) bool {
	has := func(patterns []string, text string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, text) })
	}
	return has(l.Scenarios, name) && has(l.Paths, f.path) && (l.Only == "" || l.Only == f.belfry)
}

// A judge counts the scenarios that are the same, are listed, and fail.
type judge struct {
	listed              []*listed
	same, known, failed int
}

// outcome prints the differences that are not listed.
func (j *judge) outcome(o outcome) {
	used, isListed := explain(j.listed, o)
	switch {
	case o.err != nil:
		j.failed++
		fmt.Printf("not ok: %s: %v\n", o.scenario.name, o.err)
	case len(o.findings) == 0:
		j.same++
	case isListed:
		j.known++
		for _, l := range used {
			if !slices.Contains(l.used, o.scenario.name) {
				l.used = append(l.used, o.scenario.name)
			}
		}
	default:
		j.failed++
		fmt.Printf("not ok: %s\n", o.scenario.name)
		for _, f := range o.findings {
			fmt.Printf("    %s\n", f)
		}
	}
}

// finish prints the entries of the list that no scenario shows.
func (j *judge) finish() {
	for _, l := range j.listed {
		if len(l.used) == 0 {
			j.failed++
			fmt.Printf("not ok: %q is listed, but no scenario shows it\n", l.Topic)
		}
	}
}

// writeTable replaces the text between two markers of a page.
func writeTable(page string, j judge, count int) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, hasBegin := strings.Cut(string(text), "<!-- begin compare -->\n")
	_, tail, hasEnd := strings.Cut(rest, "<!-- end compare -->")
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s has no markers for the table", page)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%d scenarios were carried out on all three (`test/neighbours/temporal/scenarios`).\n"+
		"Belfry answers as one of the two schedulers, except for:\n\n", count)
	table.WriteString("| Belfry | scenarios | why |\n|---|---|---|\n")
	for _, l := range j.listed {
		fmt.Fprintf(&table, "| %s | %d | %s |\n", l.Topic, len(l.used), l.Reason)
	}
	fresh := head + "<!-- begin compare -->\n" + table.String() + "<!-- end compare -->" + tail
	if fresh == string(text) {
		return nil
	}
	fmt.Printf("%s: table compare changed\n", page)
	return os.WriteFile(page, []byte(fresh), 0o644)
}
