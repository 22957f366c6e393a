// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"
	"gopkg.in/yaml.v3"
)

// A group is a list of steps that is carried out once for each row; "$row" and "$row.x" in the
// steps stand for values of the row.
type group struct {
	Group     string
	Namespace string // "lists" for the namespaces of lists
	Steps     []step
	Rows      map[string]any
}

// A step is one RPC.  "until" repeats it until the answer has these values.
type step struct {
	Call  string
	With  any // an object, or the name of one in the row
	Until any
	Mask  []string
}

type scenario struct {
	name  string
	id    string // of its schedule
	lists bool
	now   time.Time
	steps []step
}

var rpcs = map[string]string{
	"create":   "CreateSchedule",
	"describe": "DescribeSchedule",
	"update":   "UpdateSchedule",
	"patch":    "PatchSchedule",
	"delete":   "DeleteSchedule",
	"list":     "ListSchedules",
	"count":    "CountSchedules",
	"times":    "ListScheduleMatchingTimes",
}

func loadScenarios(folder string) ([]scenario, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []scenario
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var groups []group
		decoder := yaml.NewDecoder(strings.NewReader(string(text)))
		decoder.KnownFields(true)
		if err := decoder.Decode(&groups); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, g := range groups {
			all = append(all, g.scenarios()...)
		}
	}
	return all, nil
}

var unsafe = regexp.MustCompile(`[^a-z0-9]+`)

func (g group) scenarios() []scenario {
	if len(g.Rows) == 0 {
		g.Rows = map[string]any{"": nil}
	}
	var all []scenario
	for _, row := range sorted(g.Rows) {
		name := strings.TrimSuffix(g.Group+": "+row, ": ")
		s := scenario{
			name:  name,
			id:    strings.Trim(unsafe.ReplaceAllString(strings.ToLower(name), "-"), "-"),
			lists: g.Namespace == "lists",
		}
		for _, t := range g.Steps {
			t.With = fill(t.With, map[string]any{"row": g.Rows[row]})
			t.Until = fill(t.Until, map[string]any{"row": g.Rows[row]})
			s.steps = append(s.steps, t)
		}
		all = append(all, s)
	}
	return all
}

// request returns the message of a step with what a scenario need not write: the schedule's id,
// an id of the request and an action.  A member that is null is left out.
func (s scenario) request(t step, namespace string, known map[string]any) map[string]any {
	message := map[string]any{"namespace": namespace, "scheduleId": s.id}
	switch t.Call {
	case "create", "update", "patch":
		message["requestId"] = uuid.NewString()
	}
	if t.Call == "create" {
		message["schedule"] = map[string]any{"action": map[string]any{"startWorkflow": s.action()}}
	}
	if t.Call == "list" || t.Call == "count" {
		delete(message, "scheduleId")
	}
	if with, ok := t.With.(map[string]any); ok {
		merge(message, with)
	}
	values := map[string]any{"id": s.id, "action": s.action(), "now": s.now}
	maps.Copy(values, known)
	return fill(message, values).(map[string]any)
}

func (s scenario) action() map[string]any {
	return map[string]any{
		"workflowId":   "w-" + s.id,
		"workflowType": map[string]any{"name": "nothing"},
		"taskQueue":    map[string]any{"name": taskQueue},
	}
}

// merge adds the members of an object to another one, at every depth.
func merge(into, from map[string]any) {
	for key, value := range from {
		below, isObject := into[key].(map[string]any)
		more, both := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isObject && both:
			merge(below, more)
		default:
			into[key] = value
		}
	}
}

var (
	wholeName = regexp.MustCompile(`^\$([a-z]+(\.[a-zA-Z]+)*)$`)
	partName  = regexp.MustCompile(`\$\{([a-z]+(\.[a-zA-Z]+)*)\}`)
	moment    = regexp.MustCompile(`^\$now([+-].+)?$`)
	repeated  = regexp.MustCompile(`^\$(.)\*(\d+)$`)
)

// fill replaces "$name" by a value, "${name}" inside of a text, "$now-1h" by a time and "$x*100"
// by a hundred letters.  A name without a value stays.
func fill(value any, values map[string]any) any {
	switch v := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for key, member := range v {
			all[key] = fill(member, values)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = fill(v[i], values)
		}
		return all
	case string:
		return fillText(v, values)
	}
	return value
}

func fillText(text string, values map[string]any) any {
	if now, ok := values["now"].(time.Time); ok && moment.MatchString(text) {
		offset, _ := time.ParseDuration(strings.TrimPrefix(text, "$now"))
		return now.Add(offset).UTC().Truncate(time.Second).Format(time.RFC3339)
	}
	if m := repeated.FindStringSubmatch(text); m != nil {
		var count int
		fmt.Sscan(m[2], &count)
		return strings.Repeat(m[1], count)
	}
	if m := wholeName.FindStringSubmatch(text); m != nil {
		if found, ok := lookUp(values, m[1]); ok {
			return found
		}
	}
	return partName.ReplaceAllStringFunc(text, func(part string) string {
		if found, ok := lookUp(values, part[2:len(part)-1]); ok {
			return fmt.Sprint(found)
		}
		return part
	})
}

// lookUp follows a path such as "info.recentActions.0.actualTime".
func lookUp(value any, path string) (any, bool) {
	for _, key := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			member, ok := v[key]
			if !ok {
				return nil, false
			}
			value = member
		case []any:
			var i int
			if key == "length" {
				return len(v), true
			}
			if n, _ := fmt.Sscan(key, &i); n != 1 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
