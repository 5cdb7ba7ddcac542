package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are checked on machines without a zone database too
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A kind is a type of scalar: how it is read, checked and written.
type kind[T any] struct {
	name  string // for the documentation
	read  func(*yaml.Node) (T, *finding)
	write func(T) *yaml.Node
}

// A finding is a problem whose place the caller knows.
type finding struct {
	code Code
	args []any
}

func found(code Code, args ...any) *finding { return &finding{code, args} }

// excerpt shows a value that is not what it should be.
func excerpt(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "{…}"
	case yaml.SequenceNode:
		return "[…]"
	}
	if n.Tag == "!!str" {
		return strconv.Quote(clip(n.Value))
	}
	return clip(n.Value)
}

func scalar(tag, value string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	if tag == "!!str" {
		n.SetString(value)
		if looksOtherwise.MatchString(value) {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	return n
}

// looksOtherwise fits texts that a reader of YAML may take for a number or a
// time.
var looksOtherwise = regexp.MustCompile(`^[-+.]?[0-9]`)

func writeText[T ~string](v T) *yaml.Node { return scalar("!!str", string(v)) }

// rawText reads a string as it is.
func rawText(n *yaml.Node) (string, *finding) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		return "", found(wantText, excerpt(n))
	}
	switch {
	case strings.Contains(n.Value, "${"):
		return "", found(misplaced)
	case strings.ContainsFunc(n.Value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return "", found(controlChar)
	}
	return n.Value, nil
}

// text is a string that is not empty and has at most the given length.
func text(most int) kind[string] {
	return kind[string]{"text", func(n *yaml.Node) (string, *finding) {
		s, bad := rawText(n)
		switch {
		case bad != nil:
			return "", bad
		case strings.TrimSpace(s) == "":
			return "", found(emptyText)
		case utf8.RuneCountInString(s) > most:
			return "", found(textTooLong, most)
		}
		return s, nil
	}, writeText[string]}
}

// optional is a kind whose empty string is allowed and means nothing.
func optional(k kind[string]) kind[string] {
	read := k.read
	k.read = func(n *yaml.Node) (string, *finding) {
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && n.Value == "" {
			return "", nil
		}
		return read(n)
	}
	k.write = func(s string) *yaml.Node {
		if s == "" {
			return nil
		}
		return writeText(s)
	}
	return k
}

// pattern is a text of a certain form.
func pattern(name string, re *regexp.Regexp, code Code) kind[string] {
	return kind[string]{name, func(n *yaml.Node) (string, *finding) {
		s, bad := rawText(n)
		if bad != nil || !re.MatchString(s) {
			return "", found(code, excerpt(n))
		}
		return s, nil
	}, writeText[string]}
}

var (
	wholePattern    = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	numberPattern   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	timePattern     = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)
	spanPattern     = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)
	languagePattern = regexp.MustCompile(`^[a-z]{2}$`)
	phonePattern    = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	namePattern     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	countryPattern  = regexp.MustCompile(`^[A-Z]{2}$`)
)

func clock() kind[string]    { return pattern("HH:MM", timePattern, wantTime) }
func span() kind[string]     { return pattern("HH:MM-HH:MM", spanPattern, wantSpan) }
func language() kind[string] { return pattern("language", languagePattern, wantLanguage) }
func name() kind[string]     { return pattern("name", namePattern, wantName) }

// variable is the name of an environment variable. What is none is often the
// secret itself, so it is not quoted.
func variable() kind[string] {
	k := pattern("variable", variablePattern, wantVariable)
	read := k.read
	k.read = func(n *yaml.Node) (string, *finding) {
		s, bad := read(n)
		if bad != nil {
			return "", found(wantVariable, "***")
		}
		return s, nil
	}
	return k
}

// phone is a number in the international form. In YAML it may stand without
// quotes, where it is a number of the other sort.
func phone() kind[string] {
	k := pattern("phone", phonePattern, wantPhone)
	read := k.read
	k.read = func(n *yaml.Node) (string, *finding) {
		if n.Kind == yaml.ScalarNode && n.Tag == "!!int" {
			n = scalar("!!str", n.Value)
		}
		return read(n)
	}
	return k
}

// flag is true or false.
func flag() kind[bool] {
	return kind[bool]{"true|false", func(n *yaml.Node) (bool, *finding) {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return false, found(wantFlag, excerpt(n))
		}
		return strings.EqualFold(n.Value, "true"), nil
	}, func(v bool) *yaml.Node { return scalar("!!bool", strconv.FormatBool(v)) }}
}

// whole is a whole number within bounds.
func whole(least, most int) kind[int] {
	return kind[int]{fmt.Sprintf("%d–%d", least, most), func(n *yaml.Node) (int, *finding) {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" || !wholePattern.MatchString(n.Value) {
			return 0, found(wantWhole, excerpt(n))
		}
		v, err := strconv.Atoi(n.Value)
		if err != nil || v < least || v > most {
			return 0, found(outOfRange, clip(n.Value), strconv.Itoa(least), strconv.Itoa(most))
		}
		return v, nil
	}, func(v int) *yaml.Node { return scalar("!!int", strconv.Itoa(v)) }}
}

// period is a whole number of units.
func period(unit time.Duration, least, most int) kind[time.Duration] {
	k := whole(least, most)
	return kind[time.Duration]{k.name, func(n *yaml.Node) (time.Duration, *finding) {
		v, bad := k.read(n)
		return time.Duration(v) * unit, bad
	}, func(v time.Duration) *yaml.Node { return k.write(int(v / unit)) }}
}

// number is a decimal fraction within bounds.
func number(least, most float64) kind[float64] {
	low, high := strconv.FormatFloat(least, 'g', -1, 64), strconv.FormatFloat(most, 'g', -1, 64)
	return kind[float64]{low + "–" + high, func(n *yaml.Node) (float64, *finding) {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" || !numberPattern.MatchString(n.Value) {
			return 0, found(wantNumber, excerpt(n))
		}
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || v < least || v > most {
			return 0, found(outOfRange, clip(n.Value), low, high)
		}
		return v, nil
	}, func(v float64) *yaml.Node { return scalar("!!float", strconv.FormatFloat(v, 'g', -1, 64)) }}
}

// oneOf is one of a few words.
func oneOf[T ~string](words ...T) kind[T] {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return kind[T]{strings.Join(all, "|"), func(n *yaml.Node) (T, *finding) {
		if n.Kind == yaml.ScalarNode && slices.Contains(all, n.Value) && n.Tag == "!!str" {
			return T(n.Value), nil
		}
		if best := similar(n.Value, all); n.Kind == yaml.ScalarNode && best != "" {
			return "", found(notOneOfBut, excerpt(n), strings.Join(all, ", "), best)
		}
		return "", found(notOneOf, excerpt(n), strings.Join(all, ", "))
	}, writeText[T]}
}

// zone is the name of a time zone.
func zone() kind[string] {
	return kind[string]{"zone", func(n *yaml.Node) (string, *finding) {
		s, bad := rawText(n)
		if bad != nil {
			return "", bad
		}
		if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
			return "", found(wantZone, excerpt(n))
		}
		return s, nil
	}, writeText[string]}
}

// address is an http or https URL without credentials, also in its path.
func address() kind[string] {
	return kind[string]{"url", func(n *yaml.Node) (string, *finding) {
		s, bad := rawText(n)
		if bad != nil {
			return "", bad
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
			tokenLike.MatchString(s) {
			return "", found(wantURL, excerpt(n))
		}
		return strings.TrimRight(s, "/"), nil
	}, writeText[string]}
}

// path is an absolute path or one below the home folder; it is read as the
// former.
func (w *walk) path() kind[string] {
	return kind[string]{"path", func(n *yaml.Node) (string, *finding) {
		s, bad := rawText(n)
		if bad != nil {
			return "", bad
		}
		p, ok := absolute(s, w.env)
		if !ok {
			return "", found(wantPath, excerpt(n))
		}
		return p, nil
	}, writeText[string]}
}
