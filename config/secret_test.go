package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"outheis/config"
	"outheis/config/texts"
)

// However a secret is printed, its value does not come out.
func TestSecretsDoNotPrint(t *testing.T) {
	const value = "123456789:sehr-geheim"
	s := config.NewSecret(value)
	type exposed struct {
		Token config.Secret
		P     *config.Secret
		M     map[string]config.Secret
		L     []config.Secret
		Any   any
	}
	type hidden struct{ token config.Secret }
	values := []any{
		s, &s, exposed{s, &s, map[string]config.Secret{"a": s}, []config.Secret{s}, s}, hidden{s}, &hidden{s},
		[]hidden{{s}}, map[string]hidden{"a": {s}}, config.Telegram{Common: config.Common{Token: s}},
		config.Config{Channels: config.Channels{Telegram: []config.Telegram{{Common: config.Common{Token: s}}}, Mattermost: []config.Mattermost{{CommandToken: s, ButtonSecret: s}}}},
	}
	check := func(how, got string) {
		t.Helper()
		if strings.Contains(got, "geheim") || strings.Contains(got, fmt.Sprintf("%x", "geheim")) || strings.Contains(got, "123456789") {
			t.Errorf("%s gives %s", how, got)
		}
	}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
			check(fmt.Sprintf("%s of %T", verb, v), fmt.Sprintf(verb, v))
		}
		check(fmt.Sprintf("Sprint of %T", v), fmt.Sprint(v))
		b, err := json.Marshal(v)
		check(fmt.Sprintf("JSON of %T (%v)", v, err), string(b))
		b, err = yaml.Marshal(v)
		check(fmt.Sprintf("YAML of %T (%v)", v, err), string(b))
		for _, h := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var out bytes.Buffer
			slog.New(h(&out)).Info("x", "v", v, slog.Group("g", "v", v))
			check(fmt.Sprintf("log of %T", v), out.String())
		}
		check(fmt.Sprintf("error with %T", v), fmt.Errorf("x: %v", v).Error())
	}
	if s.Reveal() != value || s.String() != "***" || s.IsZero() {
		t.Errorf("Reveal = %q, String = %q, IsZero = %t", s.Reveal(), s, s.IsZero())
	}
	var none config.Secret
	if none.Reveal() != "" || none.String() != "" || !none.IsZero() || none.Equal(s) || !s.Equal(config.NewSecret(value)) {
		t.Errorf("the zero Secret: %q, %q, %t", none.Reveal(), none, none.IsZero())
	}
}

// A token in the wrong place is told without itself: the sentence stands in a
// log and is pasted into reports.
func TestProblemsHoldNoToken(t *testing.T) {
	for _, file := range []string{
		"channels: {telegram: {token_env: \"%s\"}}",
		"channels: {telegram: {token: \"${env:%s}\"}}",
		"channels: {telegram: {token: \"${file:%s}\"}}",
		"channels: {telegram: {token: [\"%s\"]}}",
		"channels: {telegram: {name: \"%s\"}}",
		"channels: {telegram: {allowed: [\"%s\"]}}",
		"channels: {telegram: {allowed: [\"@%s\"]}}",
		"channels: {telegram: {api_url: \"ftp://x/bot%s\"}}",
		"channels: {telegram: {api_url: \"https://api.telegram.org/bot%s\"}}",
		"channels: {telegram: \"%s\"}",
		"channels: {telegram: {\"%s\": true}}",
		"log: {level: \"%s\"}",
		"mode: \"%s",
	} {
		_, problems := loadFile(t, "config.yaml", fmt.Sprintf(file, goodToken), environ())
		if !config.HasErrors(problems) {
			t.Errorf("%s: no error", file)
		}
		for _, p := range problems {
			for _, s := range []string{p.Error(), p.Say(texts.For("de").Say)} {
				if strings.Contains(s, goodToken[len(goodToken)-12:]) {
					t.Errorf("%s: %s", file, s)
				}
			}
		}
	}
}

func TestPlaceholdersAreRefused(t *testing.T) {
	for _, value := range []string{
		"", " ", "undefined", "UNDEFINED", "null", "None", "changeme", "Change-Me", "token", "<token>", "your-token", "\"your_bot_token\"",
		"xxx", "XXXXXXXX", "...", "***", "secret", "TODO", "0000",
	} {
		_, problems := loadFile(t, "config.yaml", "channels: {telegram: {token: "+fmt.Sprintf("%q", value)+"}}", environ())
		wantLines(t, problems, "! 1 channels.telegram.token secret_placeholder")
	}
}

// Who connects to nothing needs no token, wherever it should come from, and
// still hears of every other mistake.
func TestLoadUnresolved(t *testing.T) {
	for _, token := range []string{"", "token_env: NOWHERE, ", "token: '${env:NOWHERE}', ", "token: '${file:/nowhere/token}', "} {
		dir := t.TempDir()
		content := "channels:\n  telegram: {enabled: true, " + token + "allowed: [5]}\nmood: good\n"
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, problems, err := config.LoadUnresolved(dir, environ())
		if err != nil {
			t.Fatal(err)
		}
		wantLines(t, problems, "! 3 mood unknown_key")
	}
}
