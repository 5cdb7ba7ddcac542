package config

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed starter/*.yaml
var starters embed.FS

// StarterOptions are what is known when a configuration is first written. The
// zero value is good.
type StarterOptions struct {
	Name     string   // of the person; "" stands for the default
	Timezone string   // "" stands for the default
	Vaults   []string // absolute, or beginning with ~/
	Tresors  []string // the same
	Telegram bool     // switches Telegram on
	// TelegramID is the person's own number; it becomes the administrator.
	TelegramID string
}

// Starter returns a commented configuration as YAML, in German for "de" and in
// English for every other language. It has no problems, as far as the options
// are right.
func Starter(lang string, o StarterOptions) []byte {
	d := Default()
	if o.Name == "" {
		o.Name = d.Human.Name
	}
	if o.Timezone == "" {
		o.Timezone = d.Human.Timezone
	}
	file := "starter/en.yaml"
	if strings.HasPrefix(lang, "de") {
		file = "starter/de.yaml"
	}
	b, err := starters.ReadFile(file)
	if err != nil {
		panic("config: " + err.Error()) // it is embedded
	}
	people := ""
	if o.TelegramID != "" {
		people = fmt.Sprintf("      - {name: %q, id: %q, role: admin}\n", o.Name, o.TelegramID)
	}
	return []byte(strings.NewReplacer(
		"{{name}}", strconv.Quote(o.Name), "{{timezone}}", strconv.Quote(o.Timezone), "{{telegram}}", strconv.FormatBool(o.Telegram),
		"{{vaults}}", entries(o.Vaults), "{{tresors}}", entries(o.Tresors), "{{people}}", people,
	).Replace(string(b)))
}

// entries writes the items of a list.
func entries(list []string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "    - %q\n", s)
	}
	return b.String()
}
