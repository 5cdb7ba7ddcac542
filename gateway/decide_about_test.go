package gateway_test

import (
	"slices"
	"testing"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

// What is said about an answer is judged like a question, but for its quota and
// the age of the answer; a deletion needs nobody's leave, only something to end.
func TestDecideAboutAnswers(t *testing.T) {
	access := gateway.Access{
		People: map[string]agents.Role{"778812": agents.RoleUser},
		Groups: map[string]gateway.Group{"-1": {People: map[string]agents.Role{"778812": agents.RoleUser}}},
	}
	p := gateway.Policy{
		Access: map[gateway.AccountID]gateway.Access{{Channel: "net", Account: "main"}: access},
		Limits: gateway.Limits{Burst: 1, Presses: 2, Mailbox: 1, Open: 3},
	}
	button := func(e *channels.Event) { e.Kind, e.Button, e.Text = channels.KindButton, "up:7", "" }
	reaction := func(e *channels.Event) { e.Kind, e.Text = channels.KindReaction, "👍" }
	evidence := func(e *channels.Event) { e.Command = "evidence" }
	deletion := func(e *channels.Event) {
		e.Kind, e.Text, e.Actor = channels.KindDeletion, "", channels.Actor{Kind: channels.System}
	}
	group := func(e *channels.Event) { e.Address, e.Audience = address(t, "-1", ""), channels.Group }
	otherGroup := func(e *channels.Event) { e.Address, e.Audience = address(t, "-2", ""), channels.Group }
	ago := func(d time.Duration) []time.Time { return []time.Time{now.Add(-d), now.Add(-d / 2)} }
	for _, c := range []struct {
		name  string
		event []func(*channels.Event)
		state gateway.State
		want  gateway.Reason
	}{
		{"a button", []func(*channels.Event){button}, gateway.State{About: true}, gateway.ReasonOK},
		{"a button of nobody", []func(*channels.Event){button}, gateway.State{}, gateway.ReasonKind},
		{"a reaction to others", []func(*channels.Event){reaction}, gateway.State{}, gateway.ReasonKind},
		{"a reaction", []func(*channels.Event){reaction}, gateway.State{About: true}, gateway.ReasonOK},
		{"a stranger's button", []func(*channels.Event){button, from("4")}, gateway.State{About: true}, gateway.ReasonSender},
		{"a program's button", []func(*channels.Event){button, actor(channels.Bot, "4")}, gateway.State{About: true}, gateway.ReasonProgram},
		{"in a group", []func(*channels.Event){button, group}, gateway.State{About: true}, gateway.ReasonOK},
		{"in a group that is not listed", []func(*channels.Event){button, otherGroup}, gateway.State{About: true}, gateway.ReasonGroup},
		{"words in a group", []func(*channels.Event){evidence, group}, gateway.State{About: true}, gateway.ReasonOK},
		{"words to others in a group", []func(*channels.Event){evidence, group, overheard}, gateway.State{About: true}, gateway.ReasonUnaddressed},
		{"under an old message", []func(*channels.Event){button, func(e *channels.Event) { e.Posted = now.AddDate(-1, 0, 0) }}, gateway.State{About: true}, gateway.ReasonOK},
		{"pressed long ago", []func(*channels.Event){button, written(now.Add(-25 * time.Hour))}, gateway.State{About: true}, gateway.ReasonExpired},
		{"words of two hours ago", []func(*channels.Event){evidence, written(now.Add(-2 * time.Hour))}, gateway.State{About: true}, gateway.ReasonOK},
		{"questions used up", []func(*channels.Event){button}, gateway.State{About: true, Asked: ago(time.Minute)}, gateway.ReasonOK},
		{"presses used up", []func(*channels.Event){button}, gateway.State{About: true, Pressed: ago(time.Minute)}, gateway.ReasonQuota},
		{"presses of an hour ago", []func(*channels.Event){button}, gateway.State{About: true, Pressed: ago(time.Hour)}, gateway.ReasonOK},
		{"presses of a day used up", []func(*channels.Event){button}, gateway.State{About: true, Pressed: slices.Repeat(ago(20*time.Hour), 10)}, gateway.ReasonDaily},
		{"a question beside presses", nil, gateway.State{Pressed: ago(time.Minute)}, gateway.ReasonOK},
		{"a question waits", []func(*channels.Event){button}, gateway.State{About: true, Waiting: 1, Open: 1}, gateway.ReasonOK},
		{"too much is open", []func(*channels.Event){button}, gateway.State{About: true, Open: 3}, gateway.ReasonBusy},
		{"a deletion", []func(*channels.Event){deletion}, gateway.State{Original: &gateway.Original{}}, gateway.ReasonOK},
		{"a deletion of nothing", []func(*channels.Event){deletion}, gateway.State{}, gateway.ReasonKind},
		{
			"an edit of an answered question, with others waiting",
			[]func(*channels.Event){func(e *channels.Event) { e.Kind = channels.KindEdit }},
			gateway.State{Original: &gateway.Original{At: now, Answered: true}, Waiting: 1}, gateway.ReasonBusy,
		},
		{"an agent's command", []func(*channels.Event){func(e *channels.Event) { e.Command = "agenda" }}, gateway.State{Agents: []string{"agenda"}}, gateway.ReasonOK},
		{"an agent's command without a question", []func(*channels.Event){func(e *channels.Event) { e.Command, e.Text = "agenda", "" }}, gateway.State{Agents: []string{"agenda"}}, gateway.ReasonEmpty},
		{"no agent's command", []func(*channels.Event){func(e *channels.Event) { e.Command = "agenda" }}, gateway.State{}, gateway.ReasonCommand},
	} {
		c.state.Now = now
		if got := gateway.Decide(message(t, c.event...), p, c.state).Reason; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
