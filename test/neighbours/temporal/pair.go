// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	"go.temporal.io/server/temporaltest"
)

const startTime = 4 * time.Minute

// A pair is a real Temporal server with a Belfry in front of it.
type pair struct {
	temporal *temporaltest.TestServer
	belfry   *belfry
}

func startPair(ctx context.Context, program string) (*pair, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	server, err := startTemporal(ctx)
	if err != nil {
		return nil, err
	}
	b, err := startBelfry(ctx, program, server.GetFrontendHostPort())
	if err != nil {
		server.Stop()
		return nil, err
	}
	return &pair{server, b}, nil
}

func (p *pair) stop() {
	p.belfry.stop()
	p.temporal.Stop()
}

// sides returns the three servers of a comparison, each with a worker.  Belfry's worker knows only
// Belfry's address.
func (p *pair) sides() (all [3]side, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, s := range stops {
			s()
		}
	}
	upstream := p.temporal.GetFrontendHostPort()
	addresses := [3]string{upstream, upstream, p.belfry.address}
	for i, name := range [3]string{classic, chasm, own} {
		conn, err := dial(addresses[i])
		if err != nil {
			return all, stop, err
		}
		all[i] = side{name, conn}
		end, err := startWorker(addresses[i], name)
		if err != nil {
			return all, stop, err
		}
		stops = append(stops, func() { end(); conn.Close() })
	}
	return all, stop, nil
}
