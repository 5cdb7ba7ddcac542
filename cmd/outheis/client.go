package main

import (
	"context"
	"errors"
	"path/filepath"

	"outheis/gateway"
)

// control connects to the gateway that runs on the human directory.
func (p *program) control() (*gateway.Client, error) {
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	c, err := gateway.DialControl(dir)
	if errors.Is(err, gateway.ErrNoGateway) {
		return nil, p.fail(exitUnavailable, "cmd.not_running", dir)
	}
	if err != nil {
		return nil, p.fail(exitFailed, "cmd.no_access", filepath.Join(dir, gateway.ControlSocket), p.cause(err))
	}
	return c, nil
}

// refused words why a running gateway did not do what it was asked.
func (p *program) refused(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return &exitError{code: exitFailed}
	}
	var refusal *gateway.ControlError
	if errors.As(err, &refusal) {
		key := "cmd.control_" + string(refusal.Code)
		switch refusal.Code {
		case gateway.CodeTooLarge:
			return p.fail(exitUsage, "cmd.control_too_large")
		case gateway.CodeBusy, gateway.CodeStopping, gateway.CodeJoined, gateway.CodeDegraded:
			return p.fail(exitUnavailable, key)
		}
		return p.fail(exitFailed, "cmd.control_failed", refusal.Text)
	}
	return p.fail(exitUnavailable, "cmd.gateway_gone") // the connection broke
}
