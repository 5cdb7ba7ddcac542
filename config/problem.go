package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Severity says what a problem prevents.
type Severity int

// The severities.
const (
	Warning Severity = iota // worth telling; the configuration is used
	Error                   // the configuration is not used
)

// A Code says what is wrong. It is the key of the sentence in the texts area
// "config", whose arguments are the problem's Args.
type Code string

// The codes of the file as a whole.
const (
	bothFiles        Code = "config.both_files"        // the two names
	otherName        Code = "config.other_name"        // the name found, the name wanted
	fileTooLarge     Code = "config.file_too_large"    // the limit in bytes
	fileForeign      Code = "config.file_foreign"      // -
	fileWritable     Code = "config.file_writable"     // the mode, the path
	notUTF8          Code = "config.not_utf8"          // -
	syntax           Code = "config.syntax"            // the parser's words
	tabIndent        Code = "config.tab"               // -
	severalDocuments Code = "config.several_documents" // -
	notAnObject      Code = "config.not_an_object"     // -
	aliased          Code = "config.alias"             // -
	tagged           Code = "config.tag"               // the tag
	tooDeep          Code = "config.too_deep"          // the limit
	complexKey       Code = "config.complex_key"       // -
	duplicateKey     Code = "config.duplicate_key"     // the line of the first
	newerVersion     Code = "config.newer_version"     // found, supported
)

// The codes of keys.
const (
	unknownKey          Code = "config.unknown_key"           // -
	unknownKeySimilar   Code = "config.unknown_key_similar"   // the key that may be meant
	unknownKeyElsewhere Code = "config.unknown_key_elsewhere" // the path where it belongs
	saidTwice           Code = "config.said_twice"            // the other path
	notUsedYet          Code = "config.not_used_yet"          // the paths
)

// The codes of values that are of the wrong kind or out of bounds. The first
// argument is the value as it stands in the file.
const (
	wantText       Code = "config.want_text"
	wantFlag       Code = "config.want_flag"
	wantWhole      Code = "config.want_whole"
	wantNumber     Code = "config.want_number"
	wantList       Code = "config.want_list"
	wantObject     Code = "config.want_object"
	wantTime       Code = "config.want_time"
	wantSpan       Code = "config.want_span"
	wantZone       Code = "config.want_zone"
	wantLanguage   Code = "config.want_language"
	wantPhone      Code = "config.want_phone"
	wantURL        Code = "config.want_url"
	wantPath       Code = "config.want_path"
	wantName       Code = "config.want_name"
	wantVariable   Code = "config.want_variable"
	outOfRange     Code = "config.out_of_range"    // and the lowest and highest
	notOneOf       Code = "config.not_one_of"      // and the allowed values
	notOneOfBut    Code = "config.not_one_of_but"  // and the allowed values, the one that may be meant
	emptyText      Code = "config.empty_text"      // no arguments
	textTooLong    Code = "config.text_too_long"   // only the limit
	controlChar    Code = "config.control_char"    // no arguments
	misplaced      Code = "config.reference"       // no arguments
	notSpoken      Code = "config.not_spoken"      // a warning
	missingKey     Code = "config.missing_key"     // only the key
	duplicateValue Code = "config.duplicate_value" // and the line of the first
	reservedName   Code = "config.reserved_name"
)

// The codes of secrets. No argument is a secret.
const (
	secretMissing     Code = "config.secret_missing"      // the variable that would do
	secretTwice       Code = "config.secret_twice"        // the two keys
	secretLiteral     Code = "config.secret_literal"      // -; a warning
	secretExposed     Code = "config.secret_exposed"      // the file's mode, the path
	secretPlaceholder Code = "config.secret_placeholder"  // -
	secretVariable    Code = "config.secret_variable"     // the variable that is empty
	secretFileGone    Code = "config.secret_file_gone"    // the path
	secretFileOpen    Code = "config.secret_file_open"    // the path, its mode
	secretFileForeign Code = "config.secret_file_foreign" // the path
	secretFileOdd     Code = "config.secret_file_odd"     // the path
	badReference      Code = "config.bad_reference"       // -
)

// The codes of channels.
const (
	idIsName      Code = "config.id_is_name"     // the name
	idIsGroup     Code = "config.id_is_group"    // the id
	idIsPerson    Code = "config.id_is_person"   // the id
	wantID        Code = "config.want_id"        // the value
	everybodyUser Code = "config.everybody_user" // the role
	everybodyHere Code = "config.everybody_here" // -
	nobodyAllowed Code = "config.nobody_allowed" // the account; a warning
	oddToken      Code = "config.odd_token"      // -; a warning
	sameToken     Code = "config.same_token"     // the other account
	plainHTTP     Code = "config.plain_http"     // the address; a warning
	publicHTTP    Code = "config.public_http"    // the address
	wantCommand   Code = "config.want_command"   // the value
	wantHost      Code = "config.want_host"      // the value
	wantListen    Code = "config.want_listen"    // the value
	sameListen    Code = "config.same_listen"    // the path of the other

	idIsMention        Code = "config.id_is_mention"         // the mention, the id in it
	discordIDIsName    Code = "config.discord_id_is_name"    // the name
	wantDiscordID      Code = "config.want_discord_id"       // the value
	oddDiscordToken    Code = "config.odd_discord_token"     // -; a warning
	mattermostIDIsName Code = "config.mattermost_id_is_name" // the name
	wantMattermostID   Code = "config.want_mattermost_id"    // the value
	oddMattermostToken Code = "config.odd_mattermost_token"  // -; a warning
	badWebhookSecret   Code = "config.bad_webhook_secret"    // -
	shortSecret        Code = "config.short_secret"          // the least length in bytes
)

// The codes of paths, models and the schedule.
const (
	pathNotThere    Code = "config.path_not_there"   // the path; a warning
	unknownAudience Code = "config.unknown_audience" // the word; a warning
	pathTwice       Code = "config.path_twice"       // the path
	pathNested      Code = "config.path_nested"      // the path, the one around it
	pathInHuman     Code = "config.path_in_human"    // the path
	noModel         Code = "config.no_model"         // the alias
	noModelBut      Code = "config.no_model_but"     // the alias, the one that may be meant
	noProvider      Code = "config.no_provider"      // the provider
	noProviderBut   Code = "config.no_provider_but"  // the provider, the one that may be meant
	unusedModel     Code = "config.unused_model"     // the alias; a warning
	agentIsOff      Code = "config.agent_is_off"     // the task, the agent; a warning
	hostPassword    Code = "config.host_password"    // the address
)

// A Problem is one finding about the configuration.
type Problem struct {
	// File is the path of the file, or "" when an environment variable is
	// meant.
	File string
	// Path is the key as it is written in the file, such as
	// "channels.telegram[1].allowed[0].id", the name of an environment
	// variable, or "" for the file as a whole.
	Path string
	// Line and Column count from 1; 0 means that there is none.
	Line, Column int
	Severity     Severity
	Code         Code
	Args         []any
}

// Error returns p in technical English, for logs. It holds no secret.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Where())
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(strings.ReplaceAll(strings.TrimPrefix(string(p.Code), "config."), "_", " "))
	for i, a := range p.Args {
		b.WriteString([]string{": ", ", "}[min(i, 1)])
		fmt.Fprint(&b, a)
	}
	return b.String()
}

// Where returns the place of p as editors understand it, such as
// "/home/ole/.outheis/human/config.yaml:12:5: log.level".
func (p Problem) Where() string {
	var parts []string
	switch {
	case p.File != "" && p.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d:%d", p.File, p.Line, max(p.Column, 1)))
	case p.File != "":
		parts = append(parts, p.File)
	}
	if p.Path != "" {
		parts = append(parts, p.Path)
	}
	return strings.Join(parts, ": ")
}

// Say returns p's sentence from a catalogue, with its place in front. say is
// the Say of a texts catalogue.
func (p Problem) Say(say func(key string, args ...any) string) string {
	s := say(string(p.Code), p.Args...)
	if where := p.Where(); where != "" {
		return where + ": " + s
	}
	return s
}

// HasErrors reports whether one of the problems is an [Error].
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// sortProblems orders by place; what has no line comes first.
func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(b.Severity, a.Severity))
	})
}
