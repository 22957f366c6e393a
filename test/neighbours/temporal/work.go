// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const activityTime = time.Minute

// work is the Go program of test/neighbours/long: a worker that also starts workflows itself.  It
// stops the starts at the line "quiet", and ends with its input.
func work(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("work", flag.ExitOnError)
	address := flags.String("address", "127.0.0.1:7233", "address of the server")
	queue := flags.String("queue", "go", "task queue, and prefix of the ids")
	every := flags.Duration("every", time.Second, "time between two starts")
	flags.Parse(args)

	c, err := dialUntil(ctx, *address)
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, *queue, worker.Options{})
	w.RegisterWorkflowWithOptions(tick, workflow.RegisterOptions{Name: "tick"})
	w.RegisterActivity(touch)
	if err := w.Start(); err != nil {
		return err
	}
	defer w.Stop()
	fmt.Println("ready")
	starts, stop := context.WithCancel(ctx)
	defer stop()
	go startDirectly(starts, c, *queue, *every)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		stop()
	}
	return nil
}

func tick(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: activityTime})
	return workflow.ExecuteActivity(ctx, touch).Get(ctx, nil)
}

func touch(context.Context) error { return nil }

// dialUntil repeats the first connection, because the server may be down at this moment.
func dialUntil(ctx context.Context, address string) (c client.Client, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err = eventually(ctx, func() (err error) {
		c, err = client.Dial(client.Options{HostPort: address, Logger: silent{}})
		return err
	})
	return c, err
}

// startDirectly starts one workflow after the other and prints those that were answered.
func startDirectly(ctx context.Context, c client.Client, queue string, every time.Duration) {
	next := time.NewTicker(every)
	defer next.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		id := fmt.Sprintf("direct-%s-%d", queue, n)
		run, err := c.ExecuteWorkflow(context.Background(),
			client.StartWorkflowOptions{ID: id, TaskQueue: queue}, "tick")
		if err != nil {
			fmt.Println("failed", id, err)
		} else {
			fmt.Println("started", id, run.GetRunID())
		}
		select {
		case <-ctx.Done():
		case <-next.C:
		}
	}
	fmt.Println("quiet")
}
