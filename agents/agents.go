// Package agents is the vocabulary of the answering agents.
//
// An [Agent] gets a [Request], which holds nothing of the chat network that
// the question came from, and returns an [Answer]. An Answer cannot be wrong
// in form: it is made by [Cite], which checks that every statement is bound to
// known evidence, by [NichtImBestand], or by [Ask]. There is no other way to
// put a text before a person, with or without a language model.
//
// This package knows no agent, no channel and no file.
package agents

import (
	"context"
	"time"
)

// A Request is what an agent is asked.
type Request struct {
	ID           string    // the queue line that holds the question
	Conversation string    // turns with the same value belong together
	Text         string    // the question, cleaned; without mention or command
	At           time.Time // when it was asked
	Lang         string    // "de" or "en"
	Scope        string    // restricts the sources by name, as "handbuch"; "" for all
	Role         Role      // of the asker
	Public       bool      // others read the answer as well
	Audience     []string  // names of the place that it is read in, as a configuration writes them
	Turns        []Turn    // earlier turns of the last 30 minutes, oldest first
}

// Role is what the asker may do. It comes from the configuration and the
// network's account id, never from a text.
type Role string

// The roles.
const (
	RoleUser  Role = "user"
	RoleAdmin Role = "admin"
)

// A Turn is an earlier question of the conversation and its answer.
type Turn struct {
	Question string
	Answer   Answer
}

// An Agent answers questions of its domain. Answer is called from many
// goroutines; an error is an [*Error] where the person can be told more than
// that it failed. The answer to a question that the agent's Bestand does not
// cover is NichtImBestand and no error.
type Agent interface {
	Answer(ctx context.Context, r Request) (Answer, error)
}

// A Wake is work that falls due. Event is a stable name: the same work has the
// same name however often it is listed.
type Wake struct {
	At    time.Time
	Event string
}

// A Waker is an Agent with work at known times, such as reminders.
type Waker interface {
	Agent
	// Wakes lists the work that falls due in (after, until], oldest first.
	Wakes(ctx context.Context, after, until time.Time) ([]Wake, error)
}
