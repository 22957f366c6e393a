// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/api/temporalproto"
	_ "go.temporal.io/api/workflowservice/v1" // the messages that call() finds by name
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

const service = "temporal.api.workflowservice.v1."

// newMessage returns an empty message of a type of WorkflowService.
func newMessage(name string) (proto.Message, error) {
	found, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(service + name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return found.New().Interface(), nil
}

// call sends a request and returns the answer, or the error as an answer of its own.
func call(ctx context.Context, conn *grpc.ClientConn, rpc string, message map[string]any) (any, error) {
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	request, err := newMessage(rpc + "Request")
	if err != nil {
		return nil, err
	}
	answer, err := newMessage(rpc + "Response")
	if err != nil {
		return nil, err
	}
	short := map[string]any{common.EnablePayloadShorthandMetadataKey: true}
	err = temporalproto.CustomJSONUnmarshalOptions{Metadata: short}.Unmarshal(text, request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	err = conn.Invoke(ctx, "/"+service+"WorkflowService/"+rpc, request, answer)
	if err != nil {
		return errorAnswer(err), nil
	}
	result, err := protojson.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var value any
	return value, json.Unmarshal(result, &value)
}

func errorAnswer(err error) any {
	s := status.Convert(err)
	details := []any{}
	for _, detail := range s.Details() {
		if message, ok := detail.(proto.Message); ok {
			details = append(details, string(message.ProtoReflect().Descriptor().Name()))
		}
	}
	return map[string]any{"error": map[string]any{
		"code": s.Code().String(), "message": s.Message(), "details": details,
	}}
}

// What differs between two servers although both did the same.
var (
	timeText  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	uuidText  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	ownNames  = regexp.MustCompile(`\b(classic|chasm|default)(-lists)?\b`)
	opaque    = map[string]bool{"conflictToken": true, "nextPageToken": true, "startRequestId": true}
	nearness  = 10 * time.Minute
	plainTime = "<about now>"
)

// flatten writes the leaves of an answer into a table from path to value, without the parts that
// are different each time: tokens, ids of runs and times near the present.
func flatten(value any, path string, now time.Time, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		if payload, ok := plainPayload(v); ok {
			into[path] = payload
			return
		}
		for key, member := range v {
			below := key
			if path != "" {
				below = path + "." + key
			}
			if opaque[key] {
				into[below] = "<" + key + ">"
				continue
			}
			flatten(member, below, now, into)
		}
	case []any:
		for i, member := range v {
			flatten(member, path+"."+strconv.Itoa(i), now, into)
		}
	case string:
		into[path] = stable(v, now)
	default:
		into[path] = fmt.Sprint(v)
	}
}

func stable(text string, now time.Time) string {
	text = timeText.ReplaceAllStringFunc(text, func(found string) string {
		t, err := time.Parse(time.RFC3339Nano, found)
		if err == nil && t.Sub(now).Abs() < nearness {
			return plainTime
		}
		return found
	})
	text = uuidText.ReplaceAllString(text, "<uuid>")
	return ownNames.ReplaceAllString(text, "<namespace>")
}

// plainPayload returns a payload with its metadata as text.
func plainPayload(v map[string]any) (string, bool) {
	metadata, ok := v["metadata"].(map[string]any)
	if !ok {
		return "", false
	}
	text := ""
	for _, key := range sorted(metadata) {
		encoded, _ := metadata[key].(string)
		plain, _ := base64.StdEncoding.DecodeString(encoded)
		text += fmt.Sprintf("%s=%s ", key, plain)
	}
	data, _ := v["data"].(string)
	plain, _ := base64.StdEncoding.DecodeString(data)
	return text + string(plain), true
}
