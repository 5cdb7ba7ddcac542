package config

import (
	"errors"
	"path/filepath"
	"strings"
)

// The environment variables that override the file (spec/outheis.md §1.1).
const (
	EnvHuman    = "OUTHEIS_HUMAN"     // the human directory
	EnvHumanDir = "OUTHEIS_HUMAN_DIR" // the same, as the predecessor has it
	EnvVault    = "OUTHEIS_VAULT"     // replaces human.vault by one folder
	EnvLanguage = "OUTHEIS_LANG"      // replaces human.language

	// Where an account has its token that names neither token nor token_env.
	EnvTelegramToken   = "OUTHEIS_TELEGRAM_TOKEN"
	EnvDiscordToken    = "OUTHEIS_DISCORD_TOKEN"
	EnvMattermostToken = "OUTHEIS_MATTERMOST_TOKEN"
)

// Dir returns the human directory: flag, else [EnvHuman], else [EnvHumanDir],
// else ~/.outheis/human. A leading ~ is the home folder. env is [os.Getenv] or
// a stand-in for it.
func Dir(flag string, env func(string) string) (string, error) {
	for _, s := range []string{flag, env(EnvHuman), env(EnvHumanDir)} {
		if s == "" {
			continue
		}
		if p, ok := absolute(s, env); ok {
			return p, nil
		}
		if strings.HasPrefix(s, "~") {
			return "", errors.New("config: human directory: no home folder for " + s)
		}
		return filepath.Abs(s)
	}
	home := home(env)
	if home == "" {
		return "", errors.New("config: human directory: neither it nor a home folder is known")
	}
	return filepath.Join(home, ".outheis", "human"), nil
}

// WithFlags returns an environment in which the flags that are set stand for
// the variables that they override, as EnvVault for --vault.
func WithFlags(env func(string) string, flags map[string]string) func(string) string {
	return func(name string) string {
		if v := flags[name]; v != "" {
			return v
		}
		return env(name)
	}
}

func home(env func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := env(name); filepath.IsAbs(h) {
			return h
		}
	}
	return ""
}

// absolute returns the cleaned absolute path that s names, or false for a
// relative one. "~" and "~/x" are below the home folder; "~name" is refused.
func absolute(s string, env func(string) string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "~"); ok {
		h := home(env)
		if h == "" || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
			return "", false
		}
		return filepath.Join(h, rest), true
	}
	if !filepath.IsAbs(s) || strings.ContainsRune(s, 0) {
		return "", false
	}
	return filepath.Clean(s), true
}
