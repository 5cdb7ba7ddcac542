package channels_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"outheis/channels"
)

func TestAsSendError(t *testing.T) {
	refused := &channels.SendError{Class: channels.Refused, Err: errors.New("message is too long")}
	for _, tt := range []struct {
		name string
		err  error
		want channels.Class
	}{
		{"itself", refused, channels.Refused},
		{"wrapped", fmt.Errorf("post part 2: %w", refused), channels.Refused},
		{"foreign", errors.New("something else"), channels.Unsure},
	} {
		if got := channels.AsSendError(tt.err).Class; got != tt.want {
			t.Errorf("%s: class %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := channels.AsSendError(nil); got != nil {
		t.Errorf("AsSendError(nil) = %v, want nil", got)
	}
}

func TestSendErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  *channels.SendError
		want string
	}{
		{&channels.SendError{Class: channels.Gone, Err: errors.New("bot was blocked by the user")}, "send: gone: bot was blocked by the user"},
		{&channels.SendError{Class: channels.RetryAfter, After: 3 * time.Second, Scope: channels.ScopeChat, Err: errors.New("too many requests")}, "send: retry after 3s (chat): too many requests"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	err := &channels.SendError{Class: channels.NotSent, Err: context.Canceled}
	if !errors.Is(err, context.Canceled) {
		t.Error("the cause is not reachable")
	}
}
