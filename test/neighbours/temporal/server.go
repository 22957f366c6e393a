// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	operator "go.temporal.io/api/operatorservice/v1"
	workflow "go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/temporal"
	"go.temporal.io/server/temporaltest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"
)

// The namespaces of the real server: one for each of its schedulers, and those that Belfry uses as
// its upstream, which have the same names there.  Lists have namespaces of their own, because
// they show every schedule of a namespace.
const (
	classic = "classic"
	chasm   = "chasm"
	own     = "default"
	lists   = "-lists"
)

func namespaces() []string {
	return []string{classic, chasm, own, classic + lists, chasm + lists, own + lists}
}

var attributes = map[string]enums.IndexedValueType{
	"Team":  enums.INDEXED_VALUE_TYPE_KEYWORD,
	"Grade": enums.INDEXED_VALUE_TYPE_INT,
	"Score": enums.INDEXED_VALUE_TYPE_DOUBLE,
	"Live":  enums.INDEXED_VALUE_TYPE_BOOL,
	"Since": enums.INDEXED_VALUE_TYPE_DATETIME,
	"Words": enums.INDEXED_VALUE_TYPE_TEXT,
	"Tags":  enums.INDEXED_VALUE_TYPE_KEYWORD_LIST,
}

// Settings of the real server: its newer scheduler in two namespaces, and no old search attributes.
func settings() dynamicconfig.StaticClient {
	var created, share []dynamicconfig.ConstrainedValue
	for _, name := range []string{chasm, chasm + lists} {
		only := dynamicconfig.Constraints{Namespace: name}
		created = append(created, dynamicconfig.ConstrainedValue{Constraints: only, Value: true})
		share = append(share, dynamicconfig.ConstrainedValue{Constraints: only, Value: 100})
	}
	return dynamicconfig.StaticClient{
		dynamicconfig.EnableCHASMSchedulerCreation.Key():                 created,
		dynamicconfig.CHASMSchedulerCreationRolloutPercent.Key():         share,
		dynamicconfig.EnableChasm.Key():                                  true,
		dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key():      true,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           100000,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 10000,
	}
}

// startTemporal starts a real server with the namespaces and search attributes of the scenarios.
func startTemporal(ctx context.Context) (*temporaltest.TestServer, error) {
	server := temporaltest.NewServer(temporaltest.WithBaseServerOptions(
		temporal.WithDynamicConfigClient(settings())))
	if err := prepare(ctx, server.GetFrontendHostPort()); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

func prepare(ctx context.Context, address string) error {
	conn, err := dial(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, name := range namespaces() {
		_, err := workflow.NewWorkflowServiceClient(conn).RegisterNamespace(ctx,
			&workflow.RegisterNamespaceRequest{
				Namespace:                        name,
				WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
			})
		if err != nil {
			return fmt.Errorf("namespace %s: %w", name, err)
		}
	}
	errs := make(chan error)
	for _, name := range namespaces() {
		go func() { errs <- addAttributes(ctx, conn, name) }()
	}
	for range namespaces() {
		err = errors.Join(err, <-errs)
	}
	return err
}

// addAttributes also waits until the server knows the namespace.
func addAttributes(ctx context.Context, conn *grpc.ClientConn, namespace string) error {
	return eventually(ctx, func() error {
		_, err := operator.NewOperatorServiceClient(conn).AddSearchAttributes(ctx,
			&operator.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: attributes})
		return err
	})
}

func dial(address string) (*grpc.ClientConn, error) {
	return grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(128<<20)))
}

// eventually repeats an action until it succeeds or the time has passed.
func eventually(ctx context.Context, action func() error) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := action()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
