// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
)

const (
	together    = 12              // scenarios at a time
	stepTime    = 2 * time.Minute // until a step has the answer that it waits for, on a busy machine
	attempts    = 2               // a clock that passes a full hour between two servers is no difference
	longMessage = 300             // letters of a value that are shown
)

// A side is a server that answers the scenarios.
type side struct {
	name string
	conn *grpc.ClientConn
}

// A finding is a value of Belfry that neither scheduler of Temporal has.
type finding struct {
	step                   int
	path                   string
	classic, chasm, belfry string
}

func (f finding) String() string {
	return fmt.Sprintf("step %d, %s: classic %q, chasm %q, belfry %q", f.step+1, f.path,
		clip(f.classic), clip(f.chasm), clip(f.belfry))
}

func clip(text string) string {
	if len(text) > longMessage {
		return text[:longMessage] + "…"
	}
	return text
}

type outcome struct {
	scenario scenario
	findings []finding
	err      error
	sides    [3][]map[string]string
}

// print writes all answers, for a person.
func (o outcome) print() {
	fmt.Printf("== %s\n", o.scenario.name)
	for i, name := range []string{classic, chasm, "belfry"} {
		for n, leaves := range o.sides[i] {
			for _, path := range sorted(leaves) {
				fmt.Printf("  %s %d %s = %s\n", name, n+1, path, clip(leaves[path]))
			}
		}
	}
}

// differ carries out each scenario on all sides at the same time, and reports each outcome when it
// is known.
func differ(ctx context.Context, scenarios []scenario, sides [3]side, all []*listed,
	report func(outcome)) {
	free := make(chan struct{}, together)
	var wait sync.WaitGroup
	var one sync.Mutex
	for _, s := range scenarios {
		if s.lists {
			continue
		}
		free <- struct{}{}
		wait.Add(1)
		go func() {
			defer wait.Done()
			result := s.compare(ctx, sides, all)
			<-free
			one.Lock()
			defer one.Unlock()
			report(result)
		}()
	}
	wait.Wait()
	for _, s := range scenarios {
		if s.lists {
			report(s.compare(ctx, sides, all))
		}
	}
}

func (s scenario) compare(ctx context.Context, sides [3]side, all []*listed) (result outcome) {
	id := s.id
	for attempt := 1; attempt <= attempts; attempt++ {
		result = outcome{scenario: s}
		s.now = time.Now()
		var wait sync.WaitGroup
		var errs [3]error
		for i := range sides {
			wait.Add(1)
			go func() {
				defer wait.Done()
				result.sides[i], errs[i] = s.play(ctx, sides[i])
			}()
		}
		wait.Wait()
		for i, err := range errs {
			if err != nil {
				result.err = fmt.Errorf("%s: %w", sides[i].name, err)
			}
		}
		result.findings = findings(result.sides)
		if _, isListed := explain(all, result); result.err == nil && isListed {
			return result
		}
		if ctx.Err() != nil || attempt == attempts {
			return result
		}
		s.id = fmt.Sprintf("%s-%d", id, attempt+1)
		for i := range sides {
			s.removeNamed(ctx, sides[i])
		}
	}
	return result
}

// removeNamed deletes the schedules whose ids the scenario names, so that the next attempt can create
// them.
func (s scenario) removeNamed(ctx context.Context, on side) {
	for _, t := range s.steps {
		with, _ := t.With.(map[string]any)
		if id, ok := with["scheduleId"]; ok && t.Call == "create" {
			removal := step{Call: "delete", With: map[string]any{"scheduleId": id}}
			call(ctx, on.conn, rpcs["delete"], s.request(removal, s.namespaceOn(on), nil))
		}
	}
}

func (s scenario) namespaceOn(on side) string {
	if s.lists {
		return on.name + lists
	}
	return on.name
}

// play carries out the steps on one side and returns the leaves of the answers.
func (s scenario) play(ctx context.Context, on side) ([]map[string]string, error) {
	known := map[string]any{}
	var answers []map[string]string
	for n, t := range s.steps {
		answer, err := s.take(ctx, on, t, s.namespaceOn(on), known)
		if err != nil {
			return answers, fmt.Errorf("step %d: %w", n+1, err)
		}
		if token, ok := lookUp(answer, "conflictToken"); ok {
			known["token"] = token
		}
		if page, ok := lookUp(answer, "nextPageToken"); ok {
			known["page"] = page
		}
		leaves := map[string]string{}
		flatten(answer, "", s.now, leaves)
		for _, mask := range t.Mask {
			for key := range leaves {
				if covers(mask, key) {
					delete(leaves, key)
				}
			}
		}
		answers = append(answers, leaves)
	}
	return answers, nil
}

// take carries out a step, again and again until it has the values that it waits for.
func (s scenario) take(ctx context.Context, on side, t step, namespace string,
	known map[string]any) (any, error) {
	rpc, ok := rpcs[t.Call]
	if !ok {
		return nil, fmt.Errorf("unknown call %q", t.Call)
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	var answer any
	var last error
	err := eventually(ctx, func() error {
		given, err := call(ctx, on.conn, rpc, s.request(t, namespace, known))
		if ctx.Err() == nil || last == nil {
			if answer, last = given, err; err == nil {
				last = t.isMet(answer)
			}
		}
		return last
	})
	return answer, err
}

func (t step) isMet(answer any) error {
	until, _ := t.Until.(map[string]any)
	for _, path := range sorted(until) {
		value, _ := lookUp(answer, path)
		if fmt.Sprint(value) != fmt.Sprint(until[path]) {
			return fmt.Errorf("%s is %v instead of %v in %v", path, value, until[path], answer)
		}
	}
	return nil
}

const errorCode = "error.code"

// findings returns the differences up to the first step with another status; what comes later
// follows from it.
func findings(sides [3][]map[string]string) []finding {
	var all []finding
	for n := range min(len(sides[0]), len(sides[1]), len(sides[2])) {
		old, new, own := sides[0][n], sides[1][n], sides[2][n]
		differs := func(path string) bool { return own[path] != old[path] && own[path] != new[path] }
		paths := map[string]bool{}
		for _, leaves := range []map[string]string{old, new, own} {
			for path := range leaves {
				paths[path] = true
			}
		}
		isCut := differs(errorCode)
		for _, path := range sorted(paths) {
			if differs(path) && (!isCut || strings.HasPrefix(path, "error.")) {
				all = append(all, finding{n, path, old[path], new[path], own[path]})
			}
		}
		if isCut {
			return all
		}
	}
	return all
}

// covers tells whether a pattern, in which "*" stands for anything, describes a path or what is
// below it.
func covers(pattern, text string) bool {
	if strings.HasPrefix(text, pattern+".") {
		return true
	}
	matched, err := path.Match(pattern, text)
	return err == nil && matched
}
