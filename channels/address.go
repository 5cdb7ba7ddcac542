package channels

import (
	"encoding/json"
	"errors"
	"fmt"
)

// An Address is a place on a network to which posts go: a chat, a thread in
// it, and whatever else the adapter needs to find it again. Only adapters make
// one ([NewAddress]); everybody else stores it and hands it back. Its four
// parts can be read for policy and for telling conversations apart. Addresses
// are comparable and survive a round trip through JSON.
type Address struct {
	channel, account, chat, thread, private string
}

// NewAddress makes an address; only adapters call it. Channel is the kind,
// account the configured name of the account, chat and thread the network's
// ids; thread may be empty. Private is the adapter's own routing data, opaque
// to everybody else, as the id of the message to reply to.
func NewAddress(channel, account, chat, thread, private string) (Address, error) {
	if channel == "" || account == "" || chat == "" {
		return Address{}, fmt.Errorf("channels: incomplete address: channel %q, account %q, chat %q", channel, account, chat)
	}
	return Address{channel, account, chat, thread, private}, nil
}

// Channel returns the kind of the network.
func (a Address) Channel() string { return a.channel }

// Account returns the configured name of our account there.
func (a Address) Account() string { return a.account }

// Chat returns the network's id of the chat.
func (a Address) Chat() string { return a.chat }

// Thread returns the network's id of the thread, or "".
func (a Address) Thread() string { return a.thread }

// Private returns what the adapter put in; only adapters call it.
func (a Address) Private() string { return a.private }

// IsZero reports whether a is no address.
func (a Address) IsZero() bool { return a == Address{} }

type addressJSON struct {
	Channel string `json:"channel"`
	Account string `json:"account"`
	Chat    string `json:"chat"`
	Thread  string `json:"thread,omitempty"`
	Private string `json:"private,omitempty"`
}

// MarshalJSON implements [json.Marshaler]; the zero Address is null.
func (a Address) MarshalJSON() ([]byte, error) {
	if a.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(addressJSON{a.channel, a.account, a.chat, a.thread, a.private})
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses incomplete addresses.
func (a *Address) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*a = Address{}
		return nil
	}
	var j addressJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return errors.New("channels: address: not the stored form")
	}
	n, err := NewAddress(j.Channel, j.Account, j.Chat, j.Thread, j.Private)
	if err != nil {
		return err
	}
	*a = n
	return nil
}
