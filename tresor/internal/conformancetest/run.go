package conformancetest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Run is what a case gives the engine's command line.
type Run struct {
	Args           []string // begin with --root
	Dir            string   // the current folder
	Env            func(name string) string
	Now            func() time.Time
	Stdout, Stderr io.Writer
}

// A Main is the engine's command line; it returns the exit code.
type Main func(Run) int

// Run builds the case in the empty folder tmp, runs it and returns what differs
// from the expectation.
func (c *Case) Run(tmp string, main Main) (differences []string, err error) {
	if err := c.build(tmp); err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	before, err := snapshot(tmp)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(tmp, "vault")
	args := []string{"--root", root}
	for _, a := range c.Args {
		args = append(args, strings.NewReplacer("{root}", root, "{tmp}", tmp).Replace(a))
	}
	now := time.Now
	if c.Today != "" {
		day, err := time.ParseInLocation(time.DateOnly, c.Today, time.Local)
		if err != nil {
			return nil, err
		}
		now = func() time.Time { return day.Add(12 * time.Hour) }
	}
	var stdout, stderr bytes.Buffer
	exit := main(Run{Args: args, Dir: tmp, Env: c.environment(tmp), Now: now, Stdout: &stdout, Stderr: &stderr})
	after, err := snapshot(tmp)
	if err != nil {
		return nil, err
	}
	j := judge{c: c, neutral: strings.NewReplacer(root, "{root}", tmp, "{tmp}")}
	if exit != c.Exit {
		j.differ("exit %d instead of %d", exit, c.Exit)
	}
	j.stream("stdout", c.Stdout, stdout.String())
	j.stream("stderr", c.Stderr, stderr.String())
	for _, s := range c.Contains {
		if !strings.Contains(stdout.String(), s) {
			j.differ("stdout lacks %q", s)
		}
	}
	for _, s := range c.Absent {
		if strings.Contains(stdout.String(), s) {
			j.differ("stdout must not have %q", s)
		}
	}
	j.files(before, after)
	return j.found, nil
}

// environment is the environment of the case: its home lies below tmp, where
// nothing is compared.
func (c *Case) environment(tmp string) func(string) string {
	home := filepath.Join(tmp, "home")
	env := map[string]string{"HOME": home, "XDG_CACHE_HOME": filepath.Join(home, "cache"), "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"LANG": "C.UTF-8", "TZ": "UTC"}
	for name, value := range c.Env {
		env[name] = strings.ReplaceAll(value, "{tmp}", tmp)
	}
	return func(name string) string { return env[name] }
}

// snapshot describes every entry below tmp.
func snapshot(tmp string) (map[string]string, error) {
	entries := make(map[string]string)
	err := filepath.WalkDir(tmp, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == tmp {
			return err
		}
		if p == filepath.Join(tmp, "home") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(tmp, p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(p)
			entries[rel] = "link " + target
			return err
		case d.IsDir():
			entries[rel] = "folder"
		case d.Type().IsRegular():
			b, err := os.ReadFile(p)
			entries[rel] = fmt.Sprintf("file %v %s", info.Mode()&0o111 != 0, b)
			return err
		default:
			entries[rel] = "special"
		}
		return nil
	})
	return entries, err
}

// files compares what changed on disk.
func (j *judge) files(before, after map[string]string) {
	if j.c.Ours && j.c.Changed == nil {
		return
	}
	var changed []string
	for p := range after {
		if before[p] != after[p] {
			changed = append(changed, label(p))
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			changed = append(changed, label(p))
		}
	}
	slices.Sort(changed)
	want := slices.Sorted(slices.Values(j.c.Changed))
	if !slices.Equal(changed, want) {
		j.differ("changed paths %q, want %q", changed, want)
	}
	for _, p := range j.c.After {
		folder, rel := "after", filepath.Join("vault", p)
		name, outside := strings.CutPrefix(p, "{tmp}/")
		if outside {
			folder, rel = "after_tmp", name
		}
		want, err := os.ReadFile(filepath.Join(j.c.Dir, folder, name))
		if err != nil {
			j.differ("%v", err)
			continue
		}
		got, ok := strings.CutPrefix(after[rel], "file false ")
		if !ok {
			j.differ("%s is no plain file afterwards", p)
		} else if got = j.neutral.Replace(got); !textMatches(string(want), got) {
			j.differ("%s: %s", p, firstDifference(string(want), got))
		}
	}
}

// label is a path as case.json writes it.
func label(p string) string {
	if p == "vault" {
		return "{root}"
	}
	if rest, ok := strings.CutPrefix(p, "vault/"); ok {
		return rest
	}
	return "{tmp}/" + p
}
