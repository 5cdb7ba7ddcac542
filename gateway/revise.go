package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/relay"
)

// revise lets the answer to an edited question go into the place of the answer
// that was given before, part by part, where the network can change messages.
// Parts of the old answer that have no successor say so.
func (g *Gateway) revise(env, req *Envelope, out *outlet, target relay.Target) error {
	if req.Payload.Ref == "" {
		return nil
	}
	if _, ok := out.current().(channels.Editor); !ok {
		return nil
	}
	before, ok, err := g.repliedTo(req.Payload.Ref)
	if err != nil || !ok || before.req.Payload.Address.Chat() != req.Payload.Address.Chat() {
		return err
	}
	ids, last, err := g.remotes(&before)
	if err != nil || len(ids) == 0 || last.to != before.req.Payload.Address {
		return err
	}
	for len(env.Payload.Parts) < len(ids) {
		gone := relay.Say(texts.For(req.Payload.Lang).Say("gateway.revised_away"), target)
		env.Payload.Parts = append(env.Payload.Parts, gone.Parts...)
	}
	env.Payload.Edits = ids
	return nil
}

// repliedTo finds the reply to request id, with an answer or without.
func (g *Gateway) repliedTo(id string) (a given, ok bool, err error) {
	if a.rep, ok, err = g.queue.Lookup(replyCause(id)); err != nil || !ok {
		return a, false, err
	}
	if a.res, ok, err = g.queue.Lookup(responseCause(id)); err != nil || !ok {
		return a, false, err
	}
	if a.rep.Payload.Origin == "" {
		return a, false, nil // a sentence about a failure stays where it is
	}
	a.req, ok, err = g.queue.Lookup(a.rep.Payload.Origin)
	return a, ok, err
}

// put sends part n: as a new message, or in the place of one. Of what somebody
// thinks of an answer nothing is shown any more once another answer stands there.
func (g *Gateway) put(ctx context.Context, out *outlet, post channels.Post, n int, at *part, req *Envelope) (channels.Receipt, error) {
	if at.edit == "" {
		return out.post(ctx, post)
	}
	r := channels.Receipt{Remote: at.edit}
	release, err := g.rows.take(ctx, postedCause(post.To, at.edit))
	if err != nil {
		return r, &channels.SendError{Class: channels.NotSent, Err: err}
	}
	defer release()
	if req.Intent == intentFeedback {
		_, revised, err := g.queue.Lookup(revisedCause(req.Payload.Ref))
		if err != nil {
			return r, &channels.SendError{Class: channels.NotSent, Err: err}
		}
		if revised {
			return r, nil
		}
	}
	if err := out.edit(ctx, post, at.edit); err != nil {
		return r, err
	}
	if n == 1 && at.origin != "" && req.Payload.Ref != "" {
		// Where this fails the part counts as not sent, and is put there once more.
		if err := g.write(ctx, req.event(eventRevised, revisedCause(req.Payload.Ref))); err != nil {
			return r, &channels.SendError{Class: channels.NotSent, Err: err}
		}
	}
	return r, nil
}

// edit changes a message once. An account whose channel cannot do that any more
// refuses.
func (o *outlet) edit(ctx context.Context, p channels.Post, remote string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &channels.SendError{Class: channels.Unsure, Err: fmt.Errorf("adapter panicked: %v", v)}
		}
	}()
	if o.local != nil {
		return &channels.SendError{Class: channels.Refused, Err: errors.New("sessions change nothing")}
	}
	l := o.seize()
	defer l.posts.Done()
	if l.channel == nil {
		return &channels.SendError{Class: channels.NotSent, Err: errors.New("account was removed")}
	}
	editor, ok := l.channel.(channels.Editor)
	if !ok {
		return &channels.SendError{Class: channels.Refused, Err: errors.New("channel cannot change messages")}
	}
	return editor.Edit(ctx, p, remote)
}

// locate writes down where a part of an answer stands, so that what is said below
// that message finds the answer. Of one that took the place of another the line
// of that one leads there.
func (g *Gateway) locate(p *pen, it *item, at *part, n int, to channels.Address, remote string) {
	req := &it.req
	if at.origin == "" || remote == "" || at.edit != "" {
		return
	}
	e := req.event(eventPosted, postedCause(to, remote))
	e.Payload.Part, e.Payload.Remote = n, remote
	p.add(e)
}

// isOnce reports that nobody will be in the chat when the answer has come, so
// that nothing can be said about it.
func (o *outlet) isOnce(a channels.Address) bool {
	return o.local != nil && strings.HasPrefix(a.Chat(), oncePrefix)
}
