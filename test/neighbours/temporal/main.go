// SPDX-License-Identifier: Apache-2.0

// Compares Belfry with a real Temporal server, and uses that server as Belfry's upstream.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `usage: neighbour COMMAND [OPTIONS]

  compare   send the same calls to Temporal's two schedulers and to Belfry
  serve     run a real Temporal server until the input or the program ends; prints its address
  work      run a worker that also starts workflows, until the input ends
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	commands := map[string]func(context.Context, []string) error{
		"compare": compare,
		"serve":   serve,
		"work":    work,
	}
	command, ok := commands[os.Args[1]]
	if !ok {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("compare", flag.ExitOnError)
	program := flags.String("belfry", "build/belfry", "the program")
	folder := flags.String("scenarios", "scenarios", "folder of the scenarios")
	list := flags.String("listed", "differences.yaml", "list of accepted differences")
	only := flags.String("only", "", "only scenarios whose name contains this text")
	show := flags.Bool("show", false, "print all answers")
	page := flags.String("page", "", "page that gets the table of the differences")
	flags.Parse(args)

	scenarios, err := loadScenarios(*folder)
	if err != nil {
		return err
	}
	all, err := loadListed(*list)
	if err != nil {
		return err
	}
	isPart := false
	if *only != "" {
		var chosen []scenario
		for _, s := range scenarios {
			if strings.Contains(s.name, *only) {
				chosen = append(chosen, s)
			}
		}
		scenarios, isPart = chosen, true
	}
	pair, err := startPair(ctx, *program)
	if err != nil {
		return err
	}
	defer pair.stop()
	sides, stop, err := pair.sides()
	if err != nil {
		return err
	}
	defer stop()
	var verdicts judge
	verdicts.listed = all
	differ(ctx, scenarios, sides, all, func(o outcome) {
		if *show {
			o.print()
		}
		verdicts.outcome(o)
	})
	if !isPart {
		verdicts.finish()
	}
	same, known, failed := verdicts.same, verdicts.known, verdicts.failed
	fmt.Printf("%d scenarios: %d the same, %d listed\n", len(scenarios), same, known)
	if failed == 0 && *page != "" && !isPart {
		if err := writeTable(*page, verdicts, len(scenarios)); err != nil {
			return err
		}
	}
	fmt.Printf("%d passed, %d failed\n", same+known, failed)
	if failed > 0 {
		return fmt.Errorf("%d scenarios failed", failed)
	}
	return ctx.Err()
}

func serve(ctx context.Context, _ []string) error {
	server, err := startTemporal(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	fmt.Println(server.GetFrontendHostPort())
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		ended <- err
	}()
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}
