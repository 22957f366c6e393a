// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"

	"gopkg.in/yaml.v3"
)

// A listed difference: in these scenarios, and for these values, Belfry may differ for the reason.
type listed struct {
	Topic     string
	Scenarios []string
	Paths     []string
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

// explain tells whether every finding of an outcome is listed, and notes which entries were used.
func explain(all []*listed, o outcome) bool {
	var used []*listed
	for _, f := range o.findings {
		i := slices.IndexFunc(all, func(l *listed) bool { return l.describes(o.scenario.name, f.path) })
		if i < 0 {
			return false
		}
		used = append(used, all[i])
	}
	for _, l := range used {
		if !slices.Contains(l.used, o.scenario.name) {
			l.used = append(l.used, o.scenario.name)
		}
	}
	return true
}

func (l *listed) describes(name, path string) bool {
	has := func(patterns []string, text string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, text) })
	}
	return has(l.Scenarios, name) && has(l.Paths, path)
}

// judge prints the differences that are not listed and returns how many scenarios are the same,
// are listed, and fail.
func judge(outcomes []outcome, all []*listed) (same, known, failed int) {
	for _, o := range outcomes {
		switch {
		case o.err != nil:
			failed++
			fmt.Printf("not ok: %s: %v\n", o.scenario.name, o.err)
		case len(o.findings) == 0:
			same++
		case explain(all, o):
			known++
		default:
			failed++
			fmt.Printf("not ok: %s\n", o.scenario.name)
			for _, f := range o.findings {
				fmt.Printf("    %s\n", f)
			}
		}
	}
	for _, l := range all {
		if len(l.used) == 0 {
			failed++
			fmt.Printf("not ok: %q is listed, but no scenario shows it\n", l.Topic)
		}
	}
	return same, known, failed
}
