package channels_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"outheis/channels"
)

func TestNewAddressRefusesIncompleteOnes(t *testing.T) {
	for _, tt := range []struct{ channel, account, chat string }{
		{"", "haupt", "42"},
		{"telegram", "", "42"},
		{"telegram", "haupt", ""},
	} {
		if a, err := channels.NewAddress(tt.channel, tt.account, tt.chat, "7", "x"); err == nil {
			t.Errorf("NewAddress(%q, %q, %q) = %v, want an error", tt.channel, tt.account, tt.chat, a)
		} else if !a.IsZero() {
			t.Errorf("NewAddress(%q, %q, %q) returned %v beside an error", tt.channel, tt.account, tt.chat, a)
		}
	}
}

func TestAddressSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringN(1, 20, -1)
		want, err := channels.NewAddress(part.Draw(t, "channel"), part.Draw(t, "account"), part.Draw(t, "chat"),
			rapid.String().Draw(t, "thread"), rapid.String().Draw(t, "private"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got channels.Address
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if got != want {
			t.Fatalf("%s came back as %+v, want %+v", b, got, want)
		}
	})
}

func TestAddressFromForeignJSON(t *testing.T) {
	for _, in := range []string{
		`{}`, `[]`, `"42"`, `7`, `{"channel":"telegram","chat":"42"}`, `{"channel":5}`,
	} {
		a, err := channels.NewAddress("telegram", "haupt", "42", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(in), &a); err == nil {
			t.Errorf("Unmarshal(%s) = %v, want an error", in, a)
		}
	}
}

func TestZeroAddressIsNull(t *testing.T) {
	b, err := json.Marshal(channels.Event{Kind: channels.KindMessage})
	if err != nil {
		t.Fatal(err)
	}
	var e channels.Event
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if !e.Address.IsZero() || !e.Moved.IsZero() {
		t.Errorf("%s came back with an address: %+v", b, e)
	}
}
