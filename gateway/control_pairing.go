package gateway

import (
	"context"
	"errors"
	"time"
)

// servePairing answers the control requests about pairing. They are the only
// way to confirm a code: whoever may open the control socket is the owner.
func (g *Gateway) servePairing(ctx context.Context, req ControlRequest) (any, error) {
	var data any
	var err error
	switch req.Do {
	case VerbPairings:
		data = g.Pairings()
	case VerbPair:
		data, err = g.Pair(ctx, req.Text)
	case VerbUnpair:
		err = g.Unpair(ctx, AccountID{req.Who.Channel, req.Who.Account}, req.Who.Person)
	case VerbOpenPairing:
		data, err = g.OpenPairing(ctx, time.Duration(req.Seconds)*time.Second)
	}
	return data, codedPairing(err)
}

// codedPairing gives the errors of pairing their codes.
func codedPairing(err error) error {
	var paused *PausedError
	if errors.As(err, &paused) {
		return &ControlError{CodePaused, paused.Until.UTC().Format(time.RFC3339)}
	}
	for code, is := range pairingErrors() {
		if errors.Is(err, is) {
			return &ControlError{code, is.Error()}
		}
	}
	return err
}

// plainPairing is the opposite of codedPairing.
func plainPairing(err error) error {
	var coded *ControlError
	if !errors.As(err, &coded) {
		return err
	}
	if coded.Code == CodePaused {
		if until, e := time.Parse(time.RFC3339, coded.Text); e == nil {
			return &PausedError{until}
		}
	}
	if is, ok := pairingErrors()[coded.Code]; ok {
		return is
	}
	return err
}

func pairingErrors() map[ControlCode]error {
	return map[ControlCode]error{
		CodeWrongCode: ErrWrongCode, CodeNoPairing: ErrNoPairing, CodeNotPaired: ErrNotPaired, CodeNamed: ErrNamed,
	}
}

// Pairings asks how pairing stands.
func (c *Client) Pairings(ctx context.Context) (Pairings, error) {
	var p Pairings
	err := c.call(ctx, ControlRequest{Do: VerbPairings}, &p)
	return p, plainPairing(err)
}

// Pair confirms a code, as [Gateway.Pair] does, with the same errors.
func (c *Client) Pair(ctx context.Context, code string) (Paired, error) {
	var p Paired
	err := c.call(ctx, ControlRequest{Do: VerbPair, Text: code}, &p)
	return p, plainPairing(err)
}

// Unpair takes back a pairing, as [Gateway.Unpair] does, with the same errors.
func (c *Client) Unpair(ctx context.Context, account AccountID, person string) error {
	who := Paired{Channel: account.Channel, Account: account.Account, Person: person}
	return plainPairing(c.call(ctx, ControlRequest{Do: VerbUnpair, Who: who}, nil))
}

// OpenPairing opens the window for strangers, as [Gateway.OpenPairing] does, with
// the same errors.
func (c *Client) OpenPairing(ctx context.Context, d time.Duration) (time.Time, error) {
	seconds := int64((d + time.Second - 1) / time.Second)
	if d < 0 {
		seconds = -1
	}
	var until time.Time
	err := c.call(ctx, ControlRequest{Do: VerbOpenPairing, Seconds: seconds}, &until)
	return until, plainPairing(err)
}
