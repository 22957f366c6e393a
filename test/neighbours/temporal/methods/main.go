// SPDX-License-Identifier: Apache-2.0

// Calls every schedule method of Temporal's Go SDK; see methods.py.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

const id = "go"

var errEffect = errors.New("not as expected")

func expect(isMet bool, err error) error {
	if err == nil && !isMet {
		return errEffect
	}
	return err
}

func specOf(cron string) client.ScheduleSpec {
	return client.ScheduleSpec{CronExpressions: []string{cron}}
}

type method struct {
	name string
	call func() error
}

func isPaused(h client.ScheduleHandle, expected bool, note string) error {
	d, err := h.Describe(context.Background())
	if err != nil {
		return err
	}
	return expect(d.Schedule.State.Paused == expected && d.Schedule.State.Note == note, nil)
}

func hasActions(h client.ScheduleHandle, count int) error {
	d, err := h.Describe(context.Background())
	if err != nil {
		return err
	}
	return expect(d.Info.NumActions == count, nil)
}

func hasHour(h client.ScheduleHandle, hour int) error {
	d, err := h.Describe(context.Background())
	if err != nil {
		return err
	}
	return expect(d.Schedule.Spec.Calendars[0].Hour[0].Start == hour, nil)
}

// In the order of the calls; each returns nil if the effect is there.
func clientCases(c client.ScheduleClient) []method {
	ctx := context.Background()
	return []method{
		{"Create", func() error {
			h, err := c.Create(ctx, client.ScheduleOptions{ID: id, Spec: specOf("0 12 1 1 *"),
				Action: &client.ScheduleWorkflowAction{Workflow: "report", TaskQueue: "q", Args: []any{"argument"}}})
			return expect(err == nil && h.GetID() == id, err)
		}},
		{"GetHandle", func() error { return expect(c.GetHandle(ctx, id).GetID() == id, nil) }},
		{"List", func() error {
			all, err := c.List(ctx, client.ScheduleListOptions{Query: "ScheduleId = 'go'"})
			if err != nil || !all.HasNext() {
				return expect(false, err)
			}
			one, err := all.Next()
			return expect(err == nil && one.ID == id, err)
		}},
	}
}

func handleCases(h client.ScheduleHandle) []method {
	ctx := context.Background()
	allowAll := enums.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL
	return []method{
		{"GetID", func() error { return expect(h.GetID() == id, nil) }},
		{"Describe", func() error { return hasHour(h, 12) }},
		{"Pause", func() error {
			return errors.Join(h.Pause(ctx, client.SchedulePauseOptions{Note: "why"}), isPaused(h, true, "why"))
		}},
		{"Unpause", func() error {
			return errors.Join(h.Unpause(ctx, client.ScheduleUnpauseOptions{Note: "again"}),
				isPaused(h, false, "again"))
		}},
		{"Trigger", func() error {
			return errors.Join(h.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: allowAll}), hasActions(h, 1))
		}},
		{"Backfill", func() error {
			err := h.Backfill(ctx, client.ScheduleBackfillOptions{Backfill: []client.ScheduleBackfill{{
				Start:   time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC),
				End:     time.Date(2022, 6, 1, 0, 0, 0, 0, time.UTC),
				Overlap: allowAll}}})
			return errors.Join(err, hasActions(h, 3))
		}},
		{"Update", func() error {
			err := h.Update(ctx, client.ScheduleUpdateOptions{
				DoUpdate: func(given client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
					given.Description.Schedule.Spec = &client.ScheduleSpec{CronExpressions: []string{"0 6 1 1 *"}}
					return &client.ScheduleUpdate{Schedule: &given.Description.Schedule}, nil
				}})
			return errors.Join(err, hasHour(h, 6))
		}},
		{"Delete", func() error {
			if err := h.Delete(ctx); err != nil {
				return err
			}
			_, err := h.Describe(ctx)
			var gone *serviceerror.NotFound
			return expect(errors.As(err, &gone), nil)
		}},
	}
}

func main() {
	c, err := client.Dial(client.Options{HostPort: os.Args[1], Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer c.Close()
	called := map[string]bool{}
	all := append(clientCases(c.ScheduleClient()),
		handleCases(c.ScheduleClient().GetHandle(context.Background(), id))...)
	for _, one := range all {
		called[one.name] = true
		result := "ok"
		if err := one.call(); err != nil {
			result = "failed: " + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(one.name, result)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[client.ScheduleClient](),
		reflect.TypeFor[client.ScheduleHandle]()} {
		for i := 0; i < of.NumMethod(); i++ {
			if !called[of.Method(i).Name] {
				fmt.Println(of.Method(i).Name, "failed: not called")
			}
		}
	}
}
