//go:build peers

package picture_test

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"outheis/tresor"
	"outheis/tresor/picture"
)

// A reading is what Graphviz and Mermaid make of a picture.
type reading struct {
	SVG, Error    string
	Nodes, Groups []string
	Edges         [][3]string
}

// parsers runs the real Graphviz and the real Mermaid, which .ci/peers installs.
func parsers(t *testing.T) (read func(pages []tresor.Page) reading) {
	t.Helper()
	peers := os.Getenv("OUTHEIS_PEERS")
	if peers == "" {
		t.Skip("OUTHEIS_PEERS is not set")
	}
	cmd := exec.Command("node", "testdata/parse.mjs", filepath.Join(peers, "pictures"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	return func(pages []tresor.Page) (r reading) {
		question := map[string]string{"dot": string(picture.DOT(pages)), "mermaid": string(picture.Mermaid(pages))}
		if err := json.NewEncoder(in).Encode(question); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// What the real parsers read is what the pages say: as many nodes and groups,
// each text whole, and nothing in the SVG that Graphviz did not draw.
func TestRealParsersReadThePictures(t *testing.T) {
	read := parsers(t)
	check := func(t *rapid.T, all []tresor.Page) {
		r := read(all)
		if r.Error != "" {
			t.Fatalf("%s", r.Error)
		}
		want := mermaidLabels(t, string(picture.Mermaid(all)))
		var got []string
		for _, label := range slices.Concat(r.Nodes, r.Groups) {
			got = append(got, ofMermaid(label))
		}
		for _, e := range r.Edges {
			got = append(got, ofMermaid(e[2]))
		}
		if !sameTexts(got, want) {
			t.Fatalf("Mermaid reads %q, want %q", got, want)
		}
		drawn := svgTexts(t, r.SVG)
		want = dotLabels(t, string(picture.DOT(all)))
		if a, b := joined(drawn), joined(want); a != b {
			t.Fatalf("Graphviz draws %q, want %q", drawn, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, pages().Draw(t, "tresor")) })
}

var entity = regexp.MustCompile(`ﬂ°°(\d+)¶ß`)

// ofMermaid is what Mermaid shows of a text in its model.
func ofMermaid(s string) string {
	s = strings.NewReplacer("<br>", " ", "<br/>", " ").Replace(s)
	return entity.ReplaceAllStringFunc(s, func(e string) string {
		n, _ := strconv.Atoi(entity.FindStringSubmatch(e)[1])
		return string(rune(n))
	})
}

// sameTexts compares texts in any order, without their blanks.
func sameTexts(a, b []string) bool {
	squeeze := func(list []string) []string {
		var out []string
		for _, s := range list {
			out = append(out, strings.Join(strings.Fields(ofMermaid(s)), ""))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(squeeze(a), squeeze(b))
}

// joined is the sorted letters of all texts: Graphviz draws each line as a text
// of its own.
func joined(list []string) string {
	runes := []rune(strings.Join(strings.Fields(strings.Join(list, "")), ""))
	slices.Sort(runes)
	return string(runes)
}

// svgTexts returns the texts that an SVG shows, and fails where it has elements
// that no graph has.
func svgTexts(t *rapid.T, svg string) (texts []string) {
	d := xml.NewDecoder(strings.NewReader(svg))
	d.Strict = true
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			if !slices.Contains([]string{"svg", "g", "title", "polygon", "polyline", "path", "text", "a", "ellipse"}, token.Name.Local) {
				t.Fatalf("element %s in %s", token.Name.Local, svg)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "text" {
				texts = append(texts, string(token))
			}
		}
	}
}
