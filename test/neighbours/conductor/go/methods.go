// SPDX-License-Identifier: Apache-2.0

// Calls every method of SchedulerClient of Conductor's Go SDK; see methods.py.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/antihax/optional"
	"github.com/conductor-sdk/conductor-go/sdk/client"
	"github.com/conductor-sdk/conductor-go/sdk/model"
	"github.com/conductor-sdk/conductor-go/sdk/settings"
)

const (
	name  = "go"
	cron  = "0 0 2 * * ?"
	start = 4000000000000
)

var errEffect = errors.New("not as expected")

func expect(isMet bool, err error) error {
	if err == nil && !isMet {
		return errEffect
	}
	return err
}

func isPaused(c client.SchedulerClient, expected bool) error {
	found, _, err := c.GetSchedule(context.Background(), name)
	return expect(found.Paused == expected, err)
}

// In the order of the calls; each returns nil if the effect is there.
func cases(c client.SchedulerClient) []struct {
	method string
	call   func() error
} {
	ctx := context.Background()
	tags := []model.Tag{{Key: "team", Value: "blue"}}
	return []struct {
		method string
		call   func() error
	}{
		{"SaveSchedule", func() error {
			_, _, err := c.SaveSchedule(ctx, model.SaveScheduleRequest{Name: name, CronExpression: cron,
				StartWorkflowRequest: &model.StartWorkflowRequest{Name: "go_wf"}})
			return err
		}},
		{"GetSchedule", func() error {
			found, _, err := c.GetSchedule(ctx, name)
			return expect(found.CronExpression == cron, err)
		}},
		{"GetAllSchedules", func() error {
			found, _, err := c.GetAllSchedules(ctx,
				&client.SchedulerResourceApiGetAllSchedulesOpts{WorkflowName: optional.NewString("go_wf")})
			return expect(len(found) == 1, err)
		}},
		{"GetNextFewSchedules", func() error {
			times, _, err := c.GetNextFewSchedules(ctx, cron, &client.SchedulerResourceApiGetNextFewSchedulesOpts{
				ScheduleStartTime: optional.NewInt64(start), Limit: optional.NewInt32(2)})
			return expect(reflect.DeepEqual(times, []int64{4000068000000, 4000154400000}), err)
		}},
		{"PauseSchedule", func() error {
			_, _, err := c.PauseSchedule(ctx, name)
			return errors.Join(err, isPaused(c, true))
		}},
		{"ResumeSchedule", func() error {
			_, _, err := c.ResumeSchedule(ctx, name)
			return errors.Join(err, isPaused(c, false))
		}},
		{"PauseAllSchedules", func() error { _, _, err := c.PauseAllSchedules(ctx); return err }},
		{"ResumeAllSchedules", func() error { _, _, err := c.ResumeAllSchedules(ctx); return err }},
		{"RequeueAllExecutionRecords", func() error { _, _, err := c.RequeueAllExecutionRecords(ctx); return err }},
		{"SearchV2", func() error {
			found, _, err := c.SearchV2(ctx, &client.SchedulerSearchOpts{
				Query: optional.NewString("scheduleName IN (go)")})
			return expect(found.TotalHits == 0, err)
		}},
		{"PutTagForSchedule", func() error { _, err := c.PutTagForSchedule(ctx, tags, name); return err }},
		{"GetTagsForSchedule", func() error {
			found, _, err := c.GetTagsForSchedule(ctx, name)
			return expect(len(found) == 1 && found[0].Key == "team", err)
		}},
		{"DeleteTagForSchedule", func() error { _, err := c.DeleteTagForSchedule(ctx, tags, name); return err }},
		{"DeleteSchedule", func() error { _, _, err := c.DeleteSchedule(ctx, name); return err }},
	}
}

func main() {
	c := client.NewSchedulerClient(client.NewAPIClient(nil, settings.NewHttpSettings(os.Args[1])))
	called := map[string]bool{}
	for _, one := range cases(c) {
		called[one.method] = true
		result := "ok"
		if err := one.call(); err != nil {
			result = "failed: " + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(one.method, result)
	}
	methods := reflect.TypeOf((*client.SchedulerClient)(nil)).Elem()
	for i := 0; i < methods.NumMethod(); i++ {
		if !called[methods.Method(i).Name] {
			fmt.Println(methods.Method(i).Name, "failed: not called")
		}
	}
}
