package telegram_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/telegram"
)

// raw is a server that reads one request and does with the connection what it
// likes.
func raw(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// answering reads the request and writes s.
func answering(s string) func(net.Conn) {
	return func(c net.Conn) {
		if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(c, s)
		}
	}
}

// T1 of the threats: whatever goes wrong between us and the server, for every
// method, nothing that leaves the adapter holds the token, and only what
// surely did not reach the server counts as not sent.
func TestTransportFaults(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(untrusted.Close)
	plain := raw(t, answering("HTTP/1.1 200 OK\r\n\r\n"))
	token := fmt.Sprintf("%d:%s", botID, secret)
	ok := `{"ok":true,"result":{"message_id":5}}`
	for _, tt := range []struct {
		name string
		url  string
		want channels.Class
	}{
		{"refused connection", "http://" + closed.Addr().String(), channels.NotSent},
		{"no TLS behind https", strings.Replace(plain, "http:", "https:", 1), channels.NotSent},
		{"untrusted certificate", untrusted.URL, channels.NotSent},
		{"closed at once", raw(t, func(net.Conn) {}), channels.Unsure},
		{"closed after the request", raw(t, answering("")), channels.Unsure},
		{"another protocol", raw(t, answering("SSH-2.0-OpenSSH_9.2\r\n")), channels.Unsure},
		{"half a head", raw(t, answering("HTTP/1.1 200 OK\r\nContent-Le")), channels.Unsure},
		{"half a body", raw(t, answering("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{\"ok\":true")), channels.Unsure},
		{"broken chunks", raw(t, answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")), channels.Unsure},
		{"huge head", raw(t, answering("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")), channels.Unsure},
		{"the token in the body", raw(t, answering(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(token), token))), channels.Unsure},
		{"the token in a refusal", raw(t, answering(body(400, `{"ok":false,"error_code":400,"description":"Bad Request: `+token+`"}`))), channels.Refused},
		{"the token in a location", raw(t, answering("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/bot"+token+"\r\nContent-Length: 0\r\n\r\n")), channels.NotSent},
		{"an odd status", raw(t, answering(body(299, "x"))), channels.Unsure},
		{"no status", raw(t, answering("HTTP/1.1 \r\n\r\n")), channels.Unsure},
		{"an answer beside an error", raw(t, answering(body(500, `{"ok":false,"error_code":500,"description":"Internal"}`))), channels.Unsure},
		{"an answer", raw(t, answering(body(200, ok))), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			c := open(t, telegram.Options{
				Account: account, Token: func() string { return token }, APIURL: tt.url, Timeout: 5 * time.Second,
				Log:   slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				Retry: channels.Backoff{Min: time.Millisecond, Max: time.Millisecond},
			})
			to := address(t, "1001", "", "")
			_, err := c.Send(soon(t), words(to, "hallo"))
			se := channels.AsSendError(err)
			if tt.want == "" && err != nil || tt.want != "" && (se == nil || se.Class != tt.want) {
				t.Errorf("Send returned %v, want %q", err, tt.want)
			}
			menu := c.SetCommands(soon(t), "de", []channels.Command{{Name: "help", About: "Hilfe"}})
			c.Typing(soon(t), to)()
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			all := fmt.Sprintf("%v %+v %#v %v %+v %s %+v", err, se, se, menu, menu, log.String(), c.Health())
			if se != nil {
				all += fmt.Sprintf("%+v %#v", se.Err, se.Err.Error())
			}
			if strings.Contains(all, secret) {
				t.Errorf("the token left the adapter: %s", strings.ReplaceAll(all, secret, "[token]"))
			}
		})
	}
}

// body is a whole answer.
func body(status int, s string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(s), s)
}
