// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// belfry is a server with its own state directory.  It keeps its address when it is restarted.
type belfry struct {
	program string
	address string
	state   string
	process *exec.Cmd
}

func startBelfry(ctx context.Context, program, upstream string) (*belfry, error) {
	state, err := os.MkdirTemp("", "belfry-neighbours-")
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &belfry{program: program, address: free.Addr().String(), state: state}
	free.Close()
	err = b.start(ctx)
	for _, name := range []string{own, own + lists} {
		if err == nil {
			err = b.connect(ctx, name, upstream)
		}
	}
	if err != nil {
		b.stop()
	}
	return b, err
}

// start returns when the server answers.
func (b *belfry) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(b.state, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	b.process = exec.Command(b.program, "serve", "--listen", b.address, "--grpc", "none",
		"--state-dir", b.state)
	b.process.Stderr = log
	if err := b.process.Start(); err != nil {
		return err
	}
	return eventually(ctx, func() error {
		_, err := b.request(ctx, http.MethodGet, "/api/v1/namespaces", nil)
		return err
	})
}

// kill ends the process as a power failure would.
func (b *belfry) kill() {
	if b.process != nil {
		b.process.Process.Kill()
		b.process.Wait()
		b.process = nil
	}
}

func (b *belfry) stop() {
	b.kill()
	os.RemoveAll(b.state)
}

// connect gives a namespace the real server as its upstream.
func (b *belfry) connect(ctx context.Context, name, upstream string) error {
	_, err := b.request(ctx, http.MethodPut, "/api/v1/namespaces/"+name, map[string]any{
		"settings": map[string]any{
			"upstream":      "main",
			"allowNetworks": []string{"127.0.0.0/8"},
			"upstreams": map[string]any{"main": map[string]any{
				"type": "temporal", "url": "http://" + upstream, "namespace": name,
			}},
		},
	})
	return err
}

func (b *belfry) request(ctx context.Context, method, path string, body any) ([]byte, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+b.address+path,
		bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	result, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, result)
	}
	return result, err
}
