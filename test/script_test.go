//go:build unix

package test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the sessions of testdata/script against the built program.
// Each has a home and a human directory of its own. Beside the commands of
// testscript there are:
//
//	exits CODE PROGRAM…     runs a program that must end with that code, or by
//	                        the signal of that name
//	start NAME PROGRAM…     runs a program in the background; what it prints goes
//	                        to NAME.stdout and NAME.stderr
//	logged NAME PATTERN     waits until it has printed that to standard error
//	printed NAME PATTERN    the same for standard output
//	signal NAME SIGNAL      sends it TERM, INT, HUP, KILL, STOP or CONT
//	finish NAME CODE [TIME] waits for its end, which must be of that code, and
//	                        come within TIME; stdout and stderr then show its output
//	telegram …              plays Telegram: see telegram_test.go
//	expand FILE…            puts in $WORK, $TRESOR and what telegram has set
//	await gateway|idle|FILE waits until a gateway serves $OUTHEIS_HUMAN, until it
//	                        has no work left, or until a file is there
//	unprivileged PROGRAM…   runs it as a user without root's rights
func TestScripts(t *testing.T) {
	lookAtSources(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(8 * time.Minute),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("OUTHEIS_HUMAN", filepath.Join(e.WorkDir, "human"))
			e.Setenv("TRESOR", abs("../tresor/testdata/conformance/bases/genossenschaft"))
			e.Setenv("HANDBUCH", abs("../tresor/handbuch/tresor"))
			e.Values[sessionKey{}] = &session{programs: make(map[string]*background)}
			return private(e.WorkDir)
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "start": start, "logged": logged, "printed": printed, "signal": signal, "finish": finish,
			"expand": expand, "telegram": playTelegram,
		},
	})
}

// private makes the home, and gives the human directory of the script, if it
// comes with one, the modes that outheis would give it.
func private(work string) error {
	if err := os.Mkdir(filepath.Join(work, "home"), 0o700); err != nil {
		return err
	}
	return filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != work && d.IsDir():
			return os.Chmod(path, 0o700)
		case !d.IsDir():
			return os.Chmod(path, 0o600)
		}
		return nil
	})
}

func abs(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		panic(err) // the working directory is gone
	}
	return path
}

// condition knows [root], [userns] (whether small disks can be mounted in a user
// namespace) and [exists:FILE].
func condition(name string) (bool, error) {
	if file, ok := strings.CutPrefix(name, "exists:"); ok {
		_, err := os.Stat(file)
		return err == nil, nil
	}
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "userns":
		return exec.Command("unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

type sessionKey struct{}

// A session is what a script has started.
type session struct {
	programs map[string]*background
	telegram *telegramSide
}

func sessionOf(ts *testscript.TestScript) *session {
	return ts.Value(sessionKey{}).(*session)
}

// background is a program that runs beside the script.
type background struct {
	cmd            *exec.Cmd
	stdout, stderr string // paths
	ended          chan struct{}
}

// program returns the background program that is the first of args.
func program(ts *testscript.TestScript, args []string) *background {
	if len(args) == 0 {
		ts.Fatalf("no program named")
	}
	b := sessionOf(ts).programs[args[0]]
	if b == nil {
		ts.Fatalf("no program %q was started", args[0])
	}
	return b
}

func affirmative(ts *testscript.TestScript, neg bool) {
	if neg {
		ts.Fatalf("this command knows no !")
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM…")
	}
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%s: %v", args[1], err)
	}
	var state *os.ProcessState
	if exit != nil {
		state = exit.ProcessState
	}
	if got := ending(state); got != args[0] {
		ts.Fatalf("%s ended with %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// ending returns the exit code, or the signal that ended the program. A nil
// state is success.
func ending(s *os.ProcessState) string {
	if s == nil {
		return "0"
	}
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		for name, signal := range signals {
			if signal == status.Signal() {
				return name
			}
		}
		return status.Signal().String()
	}
	return strconv.Itoa(s.ExitCode())
}

var signals = map[string]syscall.Signal{
	"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL,
	"STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT, "PIPE": syscall.SIGPIPE,
}

func start(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	if len(args) < 2 {
		ts.Fatalf("usage: start NAME PROGRAM…")
	}
	name, s := args[0], sessionOf(ts)
	if s.programs[name] != nil {
		ts.Fatalf("%q runs already", name)
	}
	ts.Check(ts.Exec("env"))
	b := &background{cmd: exec.Command(args[1], args[2:]...), ended: make(chan struct{})}
	b.cmd.Dir, b.cmd.Env = ts.MkAbs("."), strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	b.stdout, b.stderr = ts.MkAbs(name+".stdout"), ts.MkAbs(name+".stderr")
	stdout, err := os.Create(b.stdout)
	ts.Check(err)
	defer stdout.Close()
	stderr, err := os.Create(b.stderr)
	ts.Check(err)
	defer stderr.Close()
	b.cmd.Stdout, b.cmd.Stderr = stdout, stderr
	ts.Check(b.cmd.Start())
	go func() {
		defer close(b.ended)
		_ = b.cmd.Wait() // finish looks at the state
	}()
	s.programs[name] = b
	ts.Defer(func() {
		_ = b.cmd.Process.Kill()
		<-b.ended
	})
}

func logged(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	awaitOutput(ts, program(ts, args).stderr, args)
}

func printed(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	awaitOutput(ts, program(ts, args).stdout, args)
}

func awaitOutput(ts *testscript.TestScript, path string, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: logged|printed NAME PATTERN")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	if err := until("output "+args[1], func() bool { return pattern.MatchString(ts.ReadFile(path)) }); err != nil {
		ts.Fatalf("%v\n%s", err, ts.ReadFile(path))
	}
}

func signal(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	b := program(ts, args)
	if len(args) != 2 || signals[args[1]] == 0 {
		ts.Fatalf("usage: signal NAME TERM|INT|…")
	}
	ts.Check(b.cmd.Process.Signal(signals[args[1]]))
}

func finish(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	b := program(ts, args)
	wait := patience
	switch len(args) {
	case 2:
	case 3:
		var err error
		wait, err = time.ParseDuration(args[2])
		ts.Check(err)
	default:
		ts.Fatalf("usage: finish NAME CODE [TIME]")
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-b.ended:
	case <-timer.C:
		ts.Fatalf("%s did not end within %s\n%s", args[0], wait, ts.ReadFile(b.stderr))
	}
	fmt.Fprint(ts.Stdout(), ts.ReadFile(b.stdout))
	fmt.Fprint(ts.Stderr(), ts.ReadFile(b.stderr))
	if got := ending(b.cmd.ProcessState); got != args[1] {
		ts.Fatalf("%s ended with %s, want %s\n%s", args[0], got, args[1], ts.ReadFile(b.stderr))
	}
	delete(sessionOf(ts).programs, args[0])
}

var variable = regexp.MustCompile(`\$(WORK|TRESOR|TELEGRAM_URL|TELEGRAM_TOKEN)\b`)

func expand(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	for _, name := range args {
		text := variable.ReplaceAllStringFunc(ts.ReadFile(name), func(v string) string { return ts.Getenv(v[1:]) })
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}
