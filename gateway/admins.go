package gateway

import (
	"context"
	"fmt"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// TellAdmins sends a notice from outside the gateway to every administrator, in
// the language of each. The same cause is told once.
func (g *Gateway) TellAdmins(ctx context.Context, cause string, say func(*texts.Texts) string) {
	g.tellAdmins(ctx, cause, say)
}

// tellAdmins sends a notice to every administrator, once per cause: through the
// queue, like everything else. It waits for nothing: what cannot be written now
// stands in the log of the program alone.
func (g *Gateway) tellAdmins(ctx context.Context, cause string, say func(*texts.Texts) string) {
	admins := g.settings.Load().Admins
	g.log.Warn("administrator is told", "cause", cause, "admins", len(admins))
	for _, a := range admins {
		g.tellAdmin(ctx, a, cause, say(texts.For(a.Lang)))
	}
}

// tellAdmin puts a notice to one administrator into the queue, once per cause.
func (g *Gateway) tellAdmin(ctx context.Context, a Admin, cause, text string) error {
	to := a.Address
	conversation := conversationID(to.Channel(), to.Account(), to.Chat(), to.Thread(), "admin")
	req := Envelope{
		Conversation: conversation, Cause: "admin/" + cause + "/" + conversation, Type: TypeRequest,
		From: From{Agent: partDispatcher}, To: partTransport, Intent: intentAdmin, Priority: PriorityNormal,
		Payload: Payload{Text: text, Address: to, Audience: channels.Direct, Lang: texts.For(a.Lang).Lang()},
	}
	_, known, err := g.queue.Lookup(req.Cause)
	var es []Envelope
	if err == nil && !known {
		es, err = g.queue.AppendAll(ctx, []Envelope{req})
	}
	if err != nil {
		g.log.Error("administrator could not be told", "cause", cause, "err", err)
	}
	for i := range es { // not fresh: somebody else may have written it meanwhile, and sent it
		g.lanes.push(&item{lane: laneOf(&es[i]), req: es[i]})
	}
	return err
}

// tellParked tells the administrators of a reply that nobody will see.
func (g *Gateway) tellParked(ctx context.Context, req *Envelope, why string) {
	if req.Intent == intentAdmin {
		return // no notice about a notice
	}
	account := accountOf(req.Payload.Address).String()
	g.tellAdmins(ctx, "parked/"+req.ID, func(t *texts.Texts) string {
		return t.Say("gateway.admin_parked", account, req.ID, why)
	})
}

// tellPoison tells them of a question that ended the process again and again.
func (g *Gateway) tellPoison(ctx context.Context, req *Envelope) {
	g.tellAdmins(ctx, "poison/"+req.ID, func(t *texts.Texts) string {
		return t.Say("gateway.admin_poison", req.ID, incident(req.ID))
	})
}

// tellMisconfigured tells them, once a day, that an account needs them.
func (g *Gateway) tellMisconfigured(ctx context.Context, id AccountID, se *channels.SendError) {
	if o := g.outlets.get(id); o != nil && g.standing(o).State == channels.Red {
		return // the watch over its health tells them, with the cause
	}
	remedy := se.Remedy
	if remedy == "" {
		remedy = fmt.Sprint(se.Err)
	}
	g.tellAdmins(ctx, "misconfigured/"+id.String()+"/"+g.now().UTC().Format(time.DateOnly), func(t *texts.Texts) string {
		return t.Say("gateway.admin_misconfigured", id.String(), remedy)
	})
}
