package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"outheis/channels"
)

// A Stranger is somebody who asked and may not: what an administrator needs to
// let them in, and nothing that they wrote or are called.
type Stranger struct {
	Channel  string             `json:"channel"`
	Account  string             `json:"account"`
	Person   string             `json:"person,omitempty"` // the network's immutable id
	Kind     channels.ActorKind `json:"kind"`
	Chat     string             `json:"chat"`
	Space    string             `json:"space,omitempty"`
	Audience channels.Audience  `json:"audience"`
	Reason   Reason             `json:"reason"`
	At       time.Time          `json:"at"`
}

// Bounds of what is known of strangers. Who is turned away is nobody's business
// but of the one who can let them in, and of them not for long: it stands in the
// memory of the process alone.
const (
	mostStrangers = 20
	strangerLife  = 24 * time.Hour
)

// strangers are the last who were turned away. They may be used by many
// goroutines.
type strangers struct {
	mu   sync.Mutex // guards last
	last []Stranger // oldest first; one for each person in each chat
}

// note keeps who was turned away for who they are or for where they asked, when
// they did ask us.
func (s *strangers) note(e channels.Event, why Reason, now time.Time) {
	if why != ReasonNobody && why != ReasonSender && why != ReasonGroup && why != ReasonProgram || !e.Addressed && e.Audience != channels.Direct {
		return
	}
	one := Stranger{
		Channel: e.Address.Channel(), Account: e.Address.Account(), Person: e.Actor.ID, Kind: e.Actor.Kind,
		Chat: e.Address.Chat(), Space: e.Space, Audience: e.Audience, Reason: why, At: now.UTC().Truncate(time.Second),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = slices.DeleteFunc(s.last, func(o Stranger) bool {
		return o.Channel == one.Channel && o.Account == one.Account && o.Chat == one.Chat && o.Person == one.Person
	})
	s.last = append(s.last, one)
	if len(s.last) > mostStrangers {
		s.last = slices.Delete(s.last, 0, 1)
	}
}

// Strangers returns the last people and programs that were turned away within a
// day, the latest first.
func (g *Gateway) Strangers() []Stranger {
	now := g.now()
	g.strangers.mu.Lock()
	defer g.strangers.mu.Unlock()
	g.strangers.last = slices.DeleteFunc(g.strangers.last, func(o Stranger) bool { return now.Sub(o.At) > strangerLife })
	all := slices.Clone(g.strangers.last)
	slices.Reverse(all)
	return all
}

// Strangers asks who was turned away, as [Gateway.Strangers] says.
func (c *Client) Strangers(ctx context.Context) ([]Stranger, error) {
	var all []Stranger
	return all, c.call(ctx, ControlRequest{Do: VerbStrangers}, &all)
}

// Check has the running gateway look over the setup of an account, such as
// "discord/main", and returns the JSON of its Handlers.Check.
func (c *Client) Check(ctx context.Context, account string) (json.RawMessage, error) {
	var found json.RawMessage
	return found, c.call(ctx, ControlRequest{Do: VerbCheck, Text: account}, &found)
}
