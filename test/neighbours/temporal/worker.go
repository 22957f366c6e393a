// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const taskQueue = "neighbours"

func startWorker(address, namespace string) (func(), error) {
	c, err := client.Dial(client.Options{
		HostPort: address, Namespace: namespace, Logger: silent{},
	})
	if err != nil {
		return nil, err
	}
	w := worker.New(c, taskQueue, worker.Options{})
	register := func(name string, f any) {
		w.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
	register("nothing", func(workflow.Context) error { return nil })
	register("fail", func(workflow.Context) error { return errors.New("as asked") })
	register("sleep", func(ctx workflow.Context, seconds int) error {
		return workflow.Sleep(ctx, time.Duration(seconds)*time.Second)
	})
	if err := w.Start(); err != nil {
		return nil, err
	}
	return func() { w.Stop(); c.Close() }, nil
}

// silent drops the log of the SDK.
type silent struct{}

var _ log.Logger = silent{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
