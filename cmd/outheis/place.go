package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/term"

	"outheis/config"
	"outheis/config/texts"
	"outheis/store"
)

// cause words what the operating system said, without the path that the
// sentence around it names already.
func (p *program) cause(err error) string {
	for _, known := range []struct {
		err error
		key string
	}{
		{fs.ErrNotExist, "cmd.cause_missing"},
		{fs.ErrPermission, "cmd.cause_permission"},
		{syscall.ENOSPC, "cmd.cause_full"},
		{syscall.EROFS, "cmd.cause_read_only"},
		{syscall.ENOTDIR, "cmd.cause_no_folder"},
		{syscall.EISDIR, "cmd.cause_folder"},
	} {
		if errors.Is(err, known.err) {
			return p.t.Say(known.key)
		}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// color reports whether what is printed may hold colours: on a terminal that
// can show them, unless the person does not want any (no-color.org).
func (p *program) color() bool {
	if p.env("NO_COLOR") != "" || p.env("TERM") == "dumb" {
		return false
	}
	_, ok := p.terminal()
	return ok
}

// width returns the terminal's columns, or 0 when there is no terminal.
func (p *program) width() int {
	if fd, ok := p.terminal(); ok {
		if w, _, err := term.GetSize(fd); err == nil {
			return w
		}
	}
	if w, err := strconv.Atoi(strings.TrimSpace(p.env("COLUMNS"))); err == nil && w > 0 {
		return w
	}
	return 0
}

func (p *program) terminal() (fd int, ok bool) {
	f, isFile := p.stdout().(*os.File)
	if !isFile {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// dir returns the human directory of this run.
func (p *program) dir() (string, error) {
	dir, err := config.Dir(p.humanFlag, p.env)
	if err != nil {
		return "", p.fail(exitFailed, "cmd.no_home")
	}
	return dir, nil
}

// environment returns the environment with the flags over it that stand for a
// variable.
func (p *program) environment() func(string) string {
	return config.WithFlags(p.env, map[string]string{config.EnvLanguage: p.langFlag})
}

// language returns the language of this run before any configuration could be
// read whole: --lang, the configuration as far as it can be read, and English
// only where the person's environment asks for it.
func (p *program) language() string {
	if p.langFlag == "de" || p.langFlag == "en" {
		return p.langFlag
	}
	if dir, err := config.Dir(p.humanFlag, p.env); err == nil {
		if c, _, err := config.Load(dir, p.env); err == nil && (c.File != "" || p.env(config.EnvLanguage) != "") {
			return c.Human.Language
		}
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := p.env(name); v != "" {
			if strings.HasPrefix(v, "en") {
				return "en"
			}
			break
		}
	}
	return texts.Default
}

// placed completes the path that err names below the directory dir.
func placed(dir string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && !filepath.IsAbs(pe.Path) {
		pe.Path = filepath.Join(dir, pe.Path)
	}
	return err
}

// sentence words an error that ends the program.
func (p *program) sentence(err error) string {
	if key, args, ok := store.Explain(err); ok {
		return p.t.Say(key, args...)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return p.t.Say("cmd.no_access", pe.Path, p.cause(err))
	}
	return err.Error()
}
