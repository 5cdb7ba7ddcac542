package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"outheis/tresor/cli"
)

// curated runs a command in dir with answers on In.
func curated(dir, answers string, args ...string) (code int, stdout, stderr string) {
	o := cli.Options{Dir: dir, Now: func() time.Time { return time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC) }}
	if answers != "-" {
		o.In = strings.NewReader(answers)
	}
	var out, err bytes.Buffer
	code = cli.Main(context.Background(), args, &out, &err, o)
	return code, out.String(), err.String()
}

// begun returns the folder of a new Tresor with a source and a page, hof/tor.
func begun(t *testing.T) string {
	t.Helper()
	parent := t.TempDir()
	mustRun(t, parent, "init", "wissenstresor-projekt-hof", "--domain", "hof")
	dir := filepath.Join(parent, "wissenstresor-projekt-hof")
	file(t, parent, "ordnung.md", "# Ordnung\n\nDas Tor ist zu.\n")
	mustRun(t, dir, "add", "../ordnung.md", "--stand", "2026", "--trust", "T1", "--rights", "frei")
	mustRun(t, dir, "new", "page", "hof/tor", "--title", "Tor", "--type", "regel", "--source", "S-0001")
	return dir
}

func mustRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	code, stdout, stderr := curated(dir, "-", args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit %d, %s%s", args, code, stdout, stderr)
	}
	return stdout
}

func file(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInitAsks(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := curated(dir, "Hof\nteam\nhof\n", "init", "neu")
	if code != 1 || !strings.Contains(stdout, "🔴 init: --scope: ") {
		t.Errorf("no answer is left: exit %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = curated(dir, "Hof\nteam\nhof\nfachbereich\n", "init", "neu")
	if code != 0 || strings.Count(stderr, "🔴 ") != 1 {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if s := content(t, dir, "neu/SKILL.md"); !strings.Contains(s, "# Hof\n") || !strings.Contains(s, "Scope: **Fachbereich**") {
		t.Errorf("SKILL.md %s", s)
	}
	if _, err := os.Stat(filepath.Join(dir, "neu/knowledge/hof")); err != nil {
		t.Error(err)
	}
}

func TestAddAsks(t *testing.T) {
	dir := begun(t)
	file(t, dir, "sources/quarantine/brief.md", "Brief\n")
	code, stdout, stderr := curated(dir, "Ein Brief\n2026-04-01\nt9\nunklar\nT3\nZitat erlaubt\n", "add", "sources/quarantine/brief.md")
	if code != 0 || strings.Count(stderr, "🔴 ") != 2 {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if s := content(t, dir, "sources/REGISTER.md"); !strings.Contains(s, "| S-0002 | Ein Brief | 2026-04-01 | ") || !strings.Contains(s, " | T3 | Zitat erlaubt | ") {
		t.Errorf("register %s", s)
	}
	// Nobody answers, and what is needed is needed.
	file(t, dir, "sources/quarantine/b.md", "b\n")
	for _, answers := range []string{"-", "", "\n\n\n\n\n\n\n\n\n\n\n\n"} {
		code, stdout, stderr = curated(dir, answers, "add", "sources/quarantine/b.md", "--rights", "frei")
		if code != 2 || !strings.Contains(stderr, "add: Es fehlt: --stand, --trust\n") {
			t.Errorf("answers %q: exit %d, %s%s", answers, code, stdout, stderr)
		}
	}
}

func TestAddAsksAboutAnImage(t *testing.T) {
	dir := begun(t)
	file(t, dir, "sources/quarantine/plan.gif", "GIF89a")
	answers := "Plan\n2026\nT1\nfrei\nLageplan.\nde\nhuman | Hofmeister | 1\ndiagram | links, oben | Tor, 3 m\ntext | unten | Maßstab\n\n"
	code, stdout, stderr := curated(dir, answers+"nein\n", "add", "sources/quarantine/plan.gif")
	if code != 0 || !strings.Contains(stdout, "🟡 add: S-0002 ") || !strings.Contains(stdout, "Auszufüllen: verified.") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if s := content(t, dir, "sources/derived/S-0002__media.json"); !strings.Contains(s, `"Tor, 3 m"`) || !strings.Contains(s, `"R-0002"`) {
		t.Errorf("description %s", s)
	}
	file(t, dir, "sources/quarantine/karte.gif", "GIF87a")
	code, stdout, stderr = curated(dir, answers+"ja\n", "add", "sources/quarantine/karte.gif", "--json")
	var doc struct {
		Sources []struct {
			ID    string
			Moved bool
			Open  []string
		}
		Files []string
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || len(doc.Sources) != 1 || doc.Sources[0].ID != "S-0003" || !doc.Sources[0].Moved ||
		len(doc.Sources[0].Open) != 0 || len(doc.Files) != 4 {
		t.Errorf("exit %d, %v, %s%s", code, err, stdout, stderr)
	}
}

func TestNewAsks(t *testing.T) {
	dir := begun(t)
	steps := []struct {
		answers string
		args    []string
		path    string
		want    string
	}{
		{"beet, rasen\n", []string{"domain", "garten"}, "ROUTER.md", "## garten\nschlagworte: beet, rasen\n"},
		{"Das Beet\nvorschrift\nS-0001\nbeet\n\n\nregel\n", []string{"page", "garten/beet"}, "knowledge/garten/beet.md", "type: regel\ntitle: Das Beet\n"},
		{"S-0009\nSatz 1\nWortlaut\nDas Tor ist zu.\nS-0001\n", []string{"claim", "hof/tor"}, "knowledge/hof/tor.md", "- **C-0001** [S-0001 | Satz 1 | Wortlaut] Das Tor ist zu.\n"},
		{"S-0001\nSatz 1\nWortlaut\n", []string{"claim", "hof/tor", "Das", "Tor", "bleibt", "zu."}, "knowledge/hof/tor.md", "] Das Tor bleibt zu.\n"},
		{"Wörter.\n", []string{"world", "Hof"}, "schema/begriffswelten.json", `"description": "Wörter."`},
		{"C-0001\nPforte, Einfahrt\n", []string{"concept", "Tor"}, "schema/begriffswelten.json", `"Einfahrt"`},
		{"ersetzt\nhof/tor\n", []string{"relation", "garten/beet"}, "knowledge/garten/beet.md", "relations: [ersetzt -> hof/tor.md]\n"},
		{"Zahl\nEinheit\nkeine\nZeitpunkt\nBlatt\n\n", []string{"type", "messung"}, "log.md", "onboarding | Typ messung — beschreibung: Zahl — kriterien: Einheit — "},
	}
	for _, s := range steps {
		code, stdout, stderr := curated(dir, s.answers, append([]string{"new"}, s.args...)...)
		if code != 0 || !strings.HasPrefix(stdout, "🟢 new "+s.args[0]+": ") {
			t.Errorf("%q: exit %d, %s%s", s.args, code, stdout, stderr)
		}
		if got := content(t, dir, s.path); !strings.Contains(got, s.want) {
			t.Errorf("%q: %s has no %q: %s", s.args, s.path, s.want, got)
		}
	}
	mustRun(t, dir, "validate")
}

// Who says all that is needed is asked nothing, unless an image stays open.
func TestNoNeedlessQuestions(t *testing.T) {
	dir := begun(t)
	file(t, dir, "sources/quarantine/a.md", "a\n")
	file(t, dir, "sources/quarantine/plan.gif", "GIF89a")
	for _, args := range [][]string{
		{"init", "../neu", "--domain", "hof"},
		{"add", "sources/quarantine/a.md", "--stand", "1", "--trust", "T1", "--rights", "frei"},
		{"new", "page", "hof/zaun", "--title", "Zaun", "--type", "regel", "--source", "S-0001"},
	} {
		if code, stdout, stderr := curated(dir, "", args...); code != 0 || strings.Contains(stderr, "leer:") {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	code, stdout, stderr := curated(dir, "Plan.\nhuman | Hofmeister | 1\ntext | oben | Tor\n\nja\n", "add", "sources/quarantine/plan.gif", "--stand", "1", "--trust", "T1", "--rights", "frei")
	if code != 0 || !strings.HasPrefix(stdout, "🟢 add: S-0003 ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// The five questions of a new type come in their order.
func TestTheFiveQuestions(t *testing.T) {
	_, _, stderr := curated(begun(t), "a\nb\nc\nd\ne\n\n", "new", "type", "messung")
	at := -1
	for _, mark := range []string{"1/5 ", "2/5 ", "3/5 ", "4/5 ", "5/5 "} {
		if i := strings.Index(stderr, mark); i <= at {
			t.Errorf("%q is not where it belongs: %s", mark, stderr)
		} else {
			at = i
		}
	}
}

func TestCuratorsUsageErrors(t *testing.T) {
	dir := begun(t)
	for _, args := range [][]string{
		{"init"}, {"init", "a", "b"}, {"init", "a", "--team", "x"},
		{"add"}, {"add", "../ordnung.md"}, {"add", "a.md", "b.md", "--title", "x", "--stand", "1", "--trust", "T1", "--rights", "frei"},
		{"add", "a.md", "b.md", "--region", "x", "--stand", "1", "--trust", "T1", "--rights", "frei"}, {"add", "../ordnung.md", "--release", "big"},
		{"add", "../ordnung.md", "--stand", "1", "--trust", "T1", "--rights", "frei", "--region", "links"},
		{"new"}, {"new", "ding"}, {"new", "page"}, {"new", "page", "a", "b"}, {"new", "page", "hof/x", "--fundstelle", "x"}, {"new", "claim", "hof/tor"},
		{"new", "domain", "garten"}, {"new", "domain", "garten", "--keyword", "x", "--verified"}, {"new", "domain", "garten", "--keyword", "x", "--release", "x"},
		{"new", "anchor", "X-0001"}, {"new", "claim", "hof/tor", "--source", "S-0001", "--fundstelle", "1", "--art", "Wortlaut"},
	} {
		before := content(t, dir, "sources/REGISTER.md") + content(t, dir, "ROUTER.md")
		code, stdout, stderr := curated(dir, "-", args...)
		if code != 2 || stdout != "" || !strings.HasSuffix(stderr, "--help\n") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
		if content(t, dir, "sources/REGISTER.md")+content(t, dir, "ROUTER.md") != before {
			t.Errorf("%q changed something", args)
		}
	}
}

func TestRefusalsNameTheOption(t *testing.T) {
	dir := begun(t)
	code, stdout, _ := curated(dir, "-", "new", "claim", "hof/tor", "--source", "S-0001", "--fundstelle", "R-0001", "--art", "Wortlaut", "x", "--json")
	var doc struct {
		Exit     int
		Command  string
		Option   string
		Errors   []string
		Findings []struct{ Rule string }
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 1 || doc.Exit != 1 || doc.Option != "--fundstelle" || doc.Command != "new claim" ||
		len(doc.Errors) != 1 || len(doc.Findings) != 1 || doc.Findings[0].Rule != "CL-17" {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
	code, stdout, _ = curated(dir, "-", "new", "claim", "hof/tor", "--source", "S-0001", "--fundstelle", "R-0001", "--art", "Wortlaut", "x")
	if code != 1 || strings.Count(stdout, "CL-") != 0 || !strings.HasPrefix(stdout, "🔴 new claim: --fundstelle: knowledge/hof/tor.md:") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	file(t, dir, ".vault-release.lock", "pid=1\n")
	code, stdout, _ = curated(dir, "-", "new", "domain", "garten", "--keyword", "x")
	if code != 1 || !strings.HasPrefix(stdout, "🔴 new domain: ") || !strings.Contains(stdout, ".vault-release.lock") {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

func TestReleaseInTheSameGo(t *testing.T) {
	dir := begun(t)
	out := mustRun(t, dir, "new", "claim", "hof/tor", "--source", "S-0001", "--fundstelle", "Satz 1", "--art", "Wortlaut", "Das Tor ist zu.", "--release", "minor")
	if !strings.Contains(out, "🟢 release: v1.1.0 ") {
		t.Errorf("got %s", out)
	}
	out = mustRun(t, dir, "new", "domain", "garten", "--keyword", "beet", "--release", "patch", "--json")
	var doc struct {
		Version, Path string
		Files         []string
		Pinned        int
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Version != "1.1.1" || doc.Path != "knowledge/garten" || len(doc.Files) != 2 || doc.Pinned < 10 {
		t.Errorf("%v, %s", err, out)
	}
	mustRun(t, dir, "doctor")
	file(t, dir, "sources/quarantine/x.md", "x\n")
	code, stdout, _ := curated(dir, "-", "new", "domain", "wiese", "--keyword", "gras", "--release", "patch")
	if code != 1 || !strings.Contains(stdout, "🟢 new domain: ") || !strings.Contains(stdout, "🔴 new domain: Die Änderung steht") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	code, stdout, _ = curated(dir, "-", "new", "domain", "acker", "--keyword", "korn", "--release", "patch", "--json")
	var failed struct{ Files, Errors []string }
	if err := json.Unmarshal([]byte(stdout), &failed); err != nil || code != 1 || len(failed.Files) != 2 || !strings.Contains(strings.Join(failed.Errors, "\n"), "Die Änderung steht") {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
}

// A release that cannot be is refused before the change.
func TestAReleaseThatCannotBeIsRefusedBefore(t *testing.T) {
	for path, broken := range map[string]string{"VERSION": "\ufeff1.0.0\n", "log.md": "\xff\xfea\x00", "VERSION ": "eins\n"} {
		dir := begun(t)
		file(t, dir, strings.TrimSpace(path), broken)
		for _, args := range [][]string{
			{"new", "domain", "garten", "--keyword", "beet"},
			{"add", "../ordnung.md", "--stand", "2026", "--trust", "T1", "--rights", "frei"},
		} {
			router := content(t, dir, "ROUTER.md")
			code, stdout, _ := curated(dir, "-", append(args, "--release", "patch")...)
			if code != 1 || strings.Contains(stdout, "🟢") || !strings.Contains(stdout, "Nichts wurde verändert") || content(t, dir, "ROUTER.md") != router {
				t.Errorf("%s: exit %d, %s", path, code, stdout)
			}
		}
	}
}

// The commands and options that the texts of a new Tresor tell of exist.
func TestTheTextsOfANewTresorTellTheTruth(t *testing.T) {
	parent := t.TempDir()
	mustRun(t, parent, "init", "neu")
	call := regexp.MustCompile("outheis tresor ((?:[^`\n]|\\\\\n)*)")
	seen := map[string]bool{}
	err := filepath.WalkDir(parent, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") || d.Name() == "log.md" {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range call.FindAllStringSubmatch(strings.ReplaceAll(string(b), "\\\n", " "), -1) {
			args := words(m[1])
			if len(args) > 1 && args[0] == "--root" {
				args = args[2:]
			}
			if len(args) == 0 || strings.ToUpper(args[0]) == args[0] || args[0] == "--help" {
				continue // a placeholder
			}
			seen[args[0]] = true
			if code, _, stderr := curated(parent, "-", append(args, "--help")...); code != 0 {
				t.Errorf("%s: outheis tresor %s: %s", filepath.Base(path), m[1], stderr)
			}
		}
		return err
	})
	if err != nil || len(seen) < 12 {
		t.Errorf("%v; commands seen: %v", err, seen)
	}
}

// words splits a line as a shell does, as far as the texts need it.
func words(line string) (list []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		list = append(list, m[1]+m[2])
	}
	return list
}

// What cannot be looked through is said, and so is what was found behind UTF-16.
func TestAddSaysWhatItCannotLookThrough(t *testing.T) {
	dir := begun(t)
	file(t, dir, "sources/quarantine/b.md", "a\x00b\n")
	stdout := mustRun(t, dir, "add", "sources/quarantine/b.md", "--stand", "1", "--trust", "T3", "--rights", "frei")
	if !strings.Contains(stdout, "🟡 add: sources/quarantine/b.md: Das ist kein Text") {
		t.Errorf("stdout %s", stdout)
	}
	file(t, dir, "sources/quarantine/c.md", "\xff\xfes\x00y\x00s\x00t\x00e\x00m\x00 \x00p\x00r\x00o\x00m\x00p\x00t\x00")
	stdout = mustRun(t, dir, "add", "sources/quarantine/c.md", "--stand", "1", "--trust", "T3", "--rights", "frei")
	if !strings.Contains(stdout, "🟡 add: sources/quarantine/c.md:1: ") || !strings.Contains(stdout, "„system prompt“") {
		t.Errorf("stdout %s", stdout)
	}
}

// What was typed before a question is dropped, and that is said.
func TestTypedAheadIsDropped(t *testing.T) {
	dir := begun(t)
	drops := 0
	o := cli.Options{Dir: dir, In: strings.NewReader("Zahl\nEinheit\nkeine\nZeitpunkt\nBlatt\n\n"), Drop: func() bool { drops++; return drops == 2 }}
	var out, err bytes.Buffer
	if code := cli.Main(context.Background(), []string{"new", "type", "messung"}, &out, &err, o); code != 0 {
		t.Fatalf("exit %d, %s%s", code, out.String(), err.String())
	}
	if got := strings.Count(err.String(), "🟡 Eine Antwort ist eine einzige Zeile"); got != 1 || drops != 6 {
		t.Errorf("said %d times, dropped before %d questions: %s", got, drops, err.String())
	}
}
