package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outheis/config"
)

// Tokens as the networks make them, invented.
const (
	goodToken       = "123456789:abcdefghijklmnopqrstuvwxyz0123456789"
	discordToken    = "ERFUNDEN0123456789erfunden.ABCDEF.erfunden_0123456789_erfunden-01"
	mattermostToken = "erfundenerfundenerfunden00"
)

// problemCases has a case for every code, and for every line of a file that
// people are known to get wrong.
var problemCases = []struct {
	name, file string // a file that begins with { or [ is JSON
	want       []string
}{
	// The file as a whole.
	{"huge", "a: " + strings.Repeat("x", 1<<20), []string{"! 0  file_too_large [1048576]"}},
	{"not UTF-8", "human:\n  name: J\xf6rg\n", []string{"! 2  not_utf8"}},
	{"UTF-16", "\xff\xfem\x00o\x00", []string{"! 1  not_utf8"}},
	{"broken YAML", "human:\n  name: \"Ole\n", []string{"! 2  syntax [found unexpected end of stream]"}},
	{"colon in a value", "human: {name: Ole: x}\n", []string{"! 1  syntax [did not find expected ',' or '}']"}},
	{"tab", "human:\n\tname: Ole\n", []string{"! 2  tab"}},
	{"tab before a comment", "human:\n\t# x\n  name: Ole\n", []string{"! 2  tab"}},
	{"tab inside a text", "human: {name: \"O\tle\"}\n", nil},
	{"missing bracket", "mode: personal\nlog: {\n  level: info\n\nhuman: {}\n", []string{"! 2  syntax [did not find expected ',' or '}']"}},
	{"wrong indentation", "mode: personal\nhuman:\n  name: Ole\n language: de\n", []string{"! 4  syntax [did not find expected key]"}},
	{"broken JSON", "{\n  \"mode\": personal\n}", []string{"! 2  syntax [invalid character 'p' looking for beginning of value]"}},
	{"comma at the end", "{\"mode\": \"personal\",}", []string{"! 1  syntax [invalid character '}' looking for beginning of object key string]"}},
	{"comment in JSON", "{ // x\n}", []string{"! 1  syntax [invalid character '/']"}},
	{"half a JSON", "{\"human\": {", []string{"! 1  syntax [the file ends in the middle]"}},
	{"more after JSON", "{}\n{}", []string{"! 2  syntax [more text after the end]"}},
	{"two documents", "mode: personal\n---\nmode: personal\n", []string{"! 2  several_documents"}},
	{"a list", "- a\n", []string{"! 1  not_an_object"}},
	{"a word", "hello\n", []string{"! 1  not_an_object"}},
	{"a JSON list", "[]", []string{"! 1  not_an_object"}},
	{"anchor", "human: &h {name: Ole}\nagents: *h\n", []string{"! 1 human alias", "! 2 agents alias"}},
	{"star without quotation marks", "channels: {telegram: {allowed: [*]}}\n", []string{"! 1  syntax [did not find expected alphabetic or numeric character]"}},
	{"bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", []string{"! 1 a alias", "! 2 b alias", "! 3 c[0] alias", "! 3 c[1] alias"}},
	{"merge key", "human: {<<: {name: Ole}}\n", []string{"! 1 human complex_key"}},
	{"tag", "human: {name: !!binary T2xl}\n", []string{"! 1 human.name tag [!!binary]"}},
	{"deep", strings.Repeat("[", 40) + strings.Repeat("]", 40) + " #", []string{"! 1  syntax [nested more than 32 times]"}},
	{"deep YAML", "x: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), []string{"! 1 x" + strings.Repeat("[0]", 32) + " too_deep [32]"}},
	{"list as a key", "? [a]\n: b\n", []string{"! 1  complex_key"}},
	{"key twice", "log: {level: info}\nmode: personal\nlog: {level: warn}\n", []string{"! 3 log duplicate_key [1]"}},
	{"key twice in JSON", "{\"log\":{},\n\"log\":{}}", []string{"! 2 log duplicate_key [1]"}},
	{"newer", "v: 2\n", []string{"! 1 v newer_version [2] [1]"}},

	// What is no problem at all.
	{"empty", "", nil},
	{"comments", "# nothing\n", nil},
	{"separator", "---\nmode: personal\n", nil},
	{"BOM and CRLF", "\uFEFFmode: personal\r\nlog:\r\n  level: warn\r\n", nil},
	{"keys without values", "human:\nchannels:\n  telegram:\nlimits: ~\n", nil},
	{"JSON with tabs and pairs", "{\n\t\"v\": 1,\n\t\"human\": {\"name\": \"\\ud83d\\ude00 Ole\\u00e4\"}\n}", nil},
	{"null in JSON", `{"channels":{"signal":{"enabled":false,"bot_phone":null}}}`, nil},

	{"empty where that means nothing", "human: {holidays: {country: \"\", state: \"\"}}\nchannels: {telegram: {api_url: \"\"}}\n",
		[]string{"~ 0  not_used_yet [human.holidays.country, human.holidays.state]"}},

	// Keys.
	{"slip", "dispacher: {}\n", []string{"! 1 dispacher unknown_key_similar [dispatcher]"}},
	{"other case", "human: {timeZone: UTC}\n", []string{"! 1 human.timeZone unknown_key_similar [timezone]"}},
	{"other separator", "limits: {per-user: {}}\n", []string{"! 1 limits.per-user unknown_key_similar [per_user]"}},
	{"elsewhere", "dispatcher: {threshold: 0.3}\n", []string{"! 1 dispatcher.threshold unknown_key_elsewhere [dispatcher.routing.threshold]"}},
	{"elsewhere in a list", "anonymous: true\n", []string{"! 1 anonymous unknown_key_elsewhere [channels.telegram[].groups[].anonymous]"}},
	{"no such key", "kaffee: true\n", []string{"! 1 kaffee unknown_key"}},
	{"odd key", "human: {\"a.b\\n\": 1}\n", []string{`! 1 human."a.b\n" unknown_key`}},
	{"said twice", "name: Ole\nhuman: {name: Ada}\n", []string{"! 1 name said_twice [human.name]"}},
	{"unused", "index: {ocr: true}\nwebui: {port: 8080}\nhuman: {email: ole@example.org}\nchannels: {signal: {enabled: true, bot_phone: \"+4930123456\"}, web: {enabled: false}}\n",
		[]string{"~ 0  not_used_yet [human.email, channels.signal, webui, index]"}},

	// Values.
	{"number for a text", "human: {name: 7}\n", []string{"! 1 human.name want_text [7]"}},
	{"text for a flag", "channels: {telegram: {enabled: \"yes\"}}\n", []string{"! 1 channels.telegram.enabled want_flag [\"yes\"]"}},
	{"old flag", "channels: {telegram: {enabled: on}}\n", []string{"! 1 channels.telegram.enabled want_flag [\"on\"]"}},
	{"fraction", "limits: {open: 1.5}\n", []string{"! 1 limits.open want_whole [1.5]"}},
	{"hex", "limits: {open: 0x10}\n", []string{"! 1 limits.open want_whole [0x10]"}},
	{"quoted number", "limits: {open: \"10\"}\n", []string{"! 1 limits.open want_whole [\"10\"]"}},
	{"text for a number", "dispatcher: {routing: {threshold: high}}\n", []string{"! 1 dispatcher.routing.threshold want_number [\"high\"]"}},
	{"not a number", "dispatcher: {routing: {threshold: .nan}}\n", []string{"! 1 dispatcher.routing.threshold want_number [.nan]"}},
	{"text for a list", "channels: {telegram: {groups: true, allowed: yes}}\n", []string{
		"! 1 channels.telegram.groups want_id [true]", "! 1 channels.telegram.allowed want_id [\"yes\"]"}},
	{"text for channels", "channels: {telegram: on}\n", []string{"! 1 channels.telegram want_list [\"on\"]"}},
	{"list for an object", "human: [Ole]\n", []string{"! 1 human want_object [[…]]"}},
	{"list in a list", "tresor: {vaults: [[/srv/x]]}\n", []string{"! 1 tresor.vaults[0] want_object [[…]]"}},
	{"time", "updates: {schedule: \"24:00\"}\n", []string{"~ 0  not_used_yet [updates]", "! 1 updates.schedule want_time [\"24:00\"]"}},
	{"span", "agenda: {quiet: [22-7]}\n", []string{"~ 0  not_used_yet [agenda]", "! 1 agenda.quiet[0] want_span [\"22-7\"]"}},
	{"zone", "human: {timezone: Berlin}\n", []string{"! 1 human.timezone want_zone [\"Berlin\"]"}},
	{"local zone", "human: {timezone: Local}\n", []string{"! 1 human.timezone want_zone [\"Local\"]"}},
	{"zone outside", "human: {timezone: ../../etc/passwd}\n", []string{"! 1 human.timezone want_zone [\"../../etc/passwd\"]"}},
	{"language", "human: {language: Deutsch}\n", []string{"! 1 human.language want_language [\"Deutsch\"]"}},
	{"language that we do not speak", "human: {language: fr}\n", []string{"~ 1 human.language not_spoken [fr]"}},
	{"phone", "human: {phone: [\"030 123456\"]}\n", []string{"~ 0  not_used_yet [human.phone]", "! 1 human.phone[0] want_phone [\"030 123456\"]"}},
	{"url", "channels: {telegram: {api_url: localhost:8081}}\n", []string{"! 1 channels.telegram.api_url want_url [\"localhost:8081\"]"}},
	{"url with a password", "channels: {telegram: {api_url: \"https://a:b@example.org\"}}\n", []string{"! 1 channels.telegram.api_url want_url [\"https://a:b@example.org\"]"}},
	{"relative path", "human: {vault: [notizen, ~anna/notizen]}\n", []string{
		"! 1 human.vault[0] want_path [\"notizen\"]", "! 1 human.vault[1] want_path [\"~anna/notizen\"]"}},
	{"name of an account", "channels: {telegram: {name: \"Mein Bot\"}}\n", []string{"! 1 channels.telegram.name want_name [\"Mein Bot\"]"}},
	{"value for a variable", "channels: {telegram: {token_env: \"12:ab\"}}\n", []string{"! 1 channels.telegram.token_env want_variable [***]"}},
	{"out of range", "dispatcher: {max_parallel: 0, routing: {threshold: 1.1}}\n", []string{
		"! 1 dispatcher.max_parallel out_of_range [0] [1] [256]", "! 1 dispatcher.routing.threshold out_of_range [1.1] [0] [1]"}},
	{"far out of range", "limits: {open: 99999999999999999999}\n", []string{"! 1 limits.open out_of_range [99999999999999999999] [1] [1000000]"}},
	{"not one of", "mode: [x]\nlog: {level: laut}\n", []string{
		"! 1 mode not_one_of [[…]] [personal, domain_expert]", "! 2 log.level not_one_of [\"laut\"] [debug, info, warn, error]"}},
	{"nearly one of", "mode: Personal\nlog: {level: warning}\n", []string{
		"! 1 mode not_one_of_but [\"Personal\"] [personal, domain_expert] [personal]",
		"! 2 log.level not_one_of_but [\"warning\"] [debug, info, warn, error] [warn]"}},
	{"empty", "human: {name: \" \"}\n", []string{"! 1 human.name empty_text"}},
	{"long", "human: {name: " + strings.Repeat("ä", 101) + "}\n", []string{"! 1 human.name text_too_long [100]"}},
	{"control character", "human: {name: \"O\\u0007le\"}\n", []string{"! 1 human.name control_char"}},
	{"reference in a name", "human: {name: \"${env:USER}\"}\n", []string{"! 1 human.name reference"}},
	{"missing key", "tresor: {vaults: [{id: x}]}\n", []string{"! 1 tresor.vaults[0].path missing_key [path]"}},
	{"missing id", "channels: {telegram: {allowed: [{name: Ole}], groups: [{name: x}]}}\n", []string{
		"! 1 channels.telegram.allowed[0].id missing_key [id]", "! 1 channels.telegram.groups[0].id missing_key [id]"}},
	{"phone of Signal", "channels: {signal: {enabled: true}}\n", []string{"~ 0  not_used_yet [channels.signal]", "! 1 channels.signal.bot_phone missing_key [bot_phone]"}},
	{"names of several accounts", "channels:\n  telegram:\n  - {name: a}\n  - {}\n  - {name: a}\n", []string{
		"! 4 channels.telegram[1].name missing_key [name]", "! 5 channels.telegram[2].name duplicate_value [\"a\"] [3]"}},
	{"person twice", "channels: {telegram: {allowed: [5,\n {id: \"5\", role: admin}]}}\n", []string{"! 2 channels.telegram.allowed[1].id duplicate_value [\"5\"] [1]"}},

	// Secrets.
	{"no token", "channels: {telegram: {enabled: true, allowed: [5]}}\n", []string{"! 1 channels.telegram.token secret_missing [OUTHEIS_TELEGRAM_TOKEN]"}},
	{"two tokens", "channels: {telegram: {token: \"${env:A}\", token_env: B}}\n", []string{"! 1 channels.telegram.token_env secret_twice [token] [token_env]"}},
	{"literal", "channels: {telegram: {token: \"" + goodToken + "\"}}\n", []string{"~ 1 channels.telegram.token secret_literal"}},
	{"placeholder", "channels: {telegram: {token: changeme}}\n", []string{"! 1 channels.telegram.token secret_placeholder"}},
	{"placeholder of the documentation", "channels: {telegram: {token: \"123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11\"}}\n", []string{"! 1 channels.telegram.token secret_placeholder"}},
	{"number as a token", "channels: {telegram: {token: 1234}}\n", []string{"! 1 channels.telegram.token want_text [***]"}},
	{"empty variable", "channels: {telegram: {enabled: true, token_env: NICHTS, allowed: [5]}}\n", []string{"! 1 channels.telegram.token_env secret_variable [NICHTS]"}},
	{"undefined variable", "channels: {telegram: {enabled: true, token: \"${env:UNDEFINED}\", allowed: [5]}}\n", []string{"! 1 channels.telegram.token secret_placeholder"}},
	{"bad variable", "channels: {telegram: {token: \"${env:A B}\"}}\n", []string{"! 1 channels.telegram.token want_variable [***]"}},
	{"bad reference", "channels: {telegram: {token: \"x${env:A}\"}}\n", []string{"! 1 channels.telegram.token bad_reference"}},
	{"unknown reference", "channels: {telegram: {token: \"${vault:a}\"}}\n", []string{"! 1 channels.telegram.token bad_reference"}},
	{"token that is none", "channels: {telegram: {enabled: true, token_env: ODD, allowed: [5]}}\n", []string{"~ 1 channels.telegram.token_env odd_token"}},
	{"one token for two", "channels: {telegram: [{name: a, enabled: true, token_env: GOOD, allowed: [5]},\n {name: b, enabled: true, token: \"env:GOOD\", allowed: [5]}]}\n",
		[]string{"! 2 channels.telegram[1].token same_token [a]"}},

	// Who may ask.
	{"name for an id", "channels: {telegram: {allowed: [\"@ole\", {id: \"t.me/ole\"}]}}\n", []string{
		"! 1 channels.telegram.allowed[0] id_is_name [@ole]", "! 1 channels.telegram.allowed[1].id id_is_name [t.me/ole]"}},
	{"group for a person", "channels: {telegram: {allowed: [-100123], bots: [-1]}}\n", []string{
		"! 1 channels.telegram.allowed[0] id_is_group [-100123]", "! 1 channels.telegram.bots[0] id_is_group [-1]"}},
	{"person for a group", "channels: {telegram: {groups: [5]}}\n", []string{"! 1 channels.telegram.groups[0] id_is_person [5]"}},
	{"no id", "channels: {telegram: {allowed: [ole, 007, 1.5, {id: [5]}]}}\n", []string{
		"! 1 channels.telegram.allowed[0] want_id [\"ole\"]", "! 1 channels.telegram.allowed[1] want_id [007]",
		"! 1 channels.telegram.allowed[2] want_id [1.5]", "! 1 channels.telegram.allowed[3].id want_id [[…]]"}},
	{"everybody as administrator", "channels: {telegram: {allowed: [{id: \"*\", role: admin}]}}\n", []string{"! 1 channels.telegram.allowed[0].role everybody_user [admin]"}},
	{"every group", "channels: {telegram: {groups: [\"*\"], bots: [\"*\"]}}\n", []string{
		"! 1 channels.telegram.groups[0] everybody_here", "! 1 channels.telegram.bots[0] everybody_here"}},
	{"nobody", "channels: {telegram: {enabled: true, token_env: GOOD, allowed: [{id: 5, role: blocked}]}}\n", []string{"~ 1 channels.telegram.allowed nobody_allowed"}},
	{"nobody in direct chats, somebody in a group", "channels: {telegram: {enabled: true, token_env: GOOD, groups: [{id: -5, allowed: [7]}]}}\n", nil},
	{"unencrypted", "channels: {telegram: {api_url: \"http://bot.example.org:8081\"}}\n", []string{"! 1 channels.telegram.api_url public_http [http://bot.example.org:8081]"}},
	{"unencrypted in a private network", "channels: {telegram: {api_url: \"http://10.0.0.7:8081/\"}}\n", []string{"~ 1 channels.telegram.api_url plain_http [http://10.0.0.7:8081]"}},
	{"unencrypted in a network of containers", "channels: {telegram: {api_url: \"http://botapi:8081\"}}\n", []string{"~ 1 channels.telegram.api_url plain_http [http://botapi:8081]"}},
	{"unencrypted at home", "channels: {telegram: {api_url: \"http://127.0.0.1:8081\"}}\n", nil},
	{"command with a slash", "channels: {telegram: {groups: [{id: -5, commands: [/status]}]}}\n", []string{"! 1 channels.telegram.groups[0].commands[0] want_command [\"/status\"]"}},

	// Discord.
	{"Discord", "channels: {discord: {enabled: true, token_env: DISCORD, commands: [global, 123456789012345678], known_links: [wiki.example.org],\n" +
		" allowed: [123456789012345678, \"*\"], groups: [{id: \"223456789012345678\", mention: always, allowed: [\"*\"]}], bots: [323456789012345678]}}\n", nil},
	{"no token for Discord", "channels: {discord: {enabled: true, pairing: always}}\n", []string{"! 1 channels.discord.token secret_missing [OUTHEIS_DISCORD_TOKEN]"}},
	{"token of another sort for Discord", "channels: {discord: {enabled: true, token_env: GOOD, pairing: always}}\n", []string{"~ 1 channels.discord.token_env odd_discord_token"}},
	{"names on Discord", "channels: {discord: {allowed: [\"@ole\", \"ole#1234\", ole], groups: [\"#werkstatt\", \"https://discord.com/channels/1/2\"], bots: [\"*\"]}}\n", []string{
		"! 1 channels.discord.allowed[0] discord_id_is_name [@ole]", "! 1 channels.discord.allowed[1] discord_id_is_name [ole#1234]",
		"! 1 channels.discord.allowed[2] want_discord_id [\"ole\"]", "! 1 channels.discord.groups[0] discord_id_is_name [#werkstatt]",
		"! 1 channels.discord.groups[1] discord_id_is_name [https://discord.com/channels/1/2]", "! 1 channels.discord.bots[0] everybody_here"}},
	{"mentions on Discord", "channels: {discord: {allowed: [\"<@!123456789012345678>\"], groups: [\"<#223456789012345678>\"]}}\n", []string{
		"! 1 channels.discord.allowed[0] id_is_mention [<@!123456789012345678>] [123456789012345678]",
		"! 1 channels.discord.groups[0] id_is_mention [<#223456789012345678>] [223456789012345678]"}},
	{"ids beside those of Discord", "channels: {discord: {allowed: [12345678901234, 123456789012345678901, 1.5e17, -123456789012345678], commands: [guild, 5]}}\n", []string{
		"! 1 channels.discord.allowed[0] want_discord_id [12345678901234]", "! 1 channels.discord.allowed[1] want_discord_id [123456789012345678901]",
		"! 1 channels.discord.allowed[2] want_discord_id [1.5e17]", "! 1 channels.discord.allowed[3] want_discord_id [-123456789012345678]",
		"! 1 channels.discord.commands[0] want_discord_id [\"guild\"]", "! 1 channels.discord.commands[1] want_discord_id [5]"}},
	{"no host", "channels: {discord: {known_links: [\"https://wiki.example.org\", wiki, \"wiki.example.org/seite\"]}}\n", []string{
		"! 1 channels.discord.known_links[0] want_host [\"https://wiki.example.org\"]", "! 1 channels.discord.known_links[1] want_host [\"wiki\"]",
		"! 1 channels.discord.known_links[2] want_host [\"wiki.example.org/seite\"]"}},
	{"anonymous on Discord", "channels: {discord: {groups: [{id: 223456789012345678, anonymous: true}]}}\n", []string{
		"! 1 channels.discord.groups[0].anonymous unknown_key_elsewhere [channels.telegram[].groups[].anonymous]"}},
	{"unencrypted Discord", "channels: {discord: {api_url: \"http://proxy.example.org\"}}\n", []string{"! 1 channels.discord.api_url public_http [http://proxy.example.org]"}},
	{"one token for two on Discord", "channels: {discord: [{name: a, enabled: true, token_env: DISCORD, pairing: always},\n {name: a, enabled: true, token_env: DISCORD, pairing: always}]}\n",
		[]string{"! 2 channels.discord[1].name duplicate_value [\"a\"] [1]", "! 2 channels.discord[1].token same_token [a]"}},
	{"nobody on Discord", "channels: {discord: {enabled: true, token_env: DISCORD}}\n", []string{"~ 1 channels.discord.allowed nobody_allowed"}},

	// Mattermost.
	{"Mattermost", "channels: {mattermost: {enabled: true, url: \"https://chat.example.org/\", token_env: MM, listen: \"127.0.0.1:8066\", public_url: \"https://bot.example.org/mm\",\n" +
		" thread: when_threaded, command_token_env: MMCMD, allowed: [ow8ye3q4mjnkfxt7i5a6b9c1de], groups: [{id: pw8ye3q4mjnkfxt7i5a6b9c1de, allowed: [\"*\"]}]}}\n", nil},
	{"no server of Mattermost", "channels: {mattermost: {enabled: true, token_env: MM, pairing: always}}\n", []string{"! 1 channels.mattermost.url missing_key [url]"}},
	{"no token for Mattermost", "channels: {mattermost: {enabled: true, url: \"https://chat.example.org\", pairing: always}}\n",
		[]string{"! 1 channels.mattermost.token secret_missing [OUTHEIS_MATTERMOST_TOKEN]"}},
	{"token of another sort for Mattermost", "channels: {mattermost: {enabled: true, url: \"https://chat.example.org\", token_env: GOOD, pairing: always}}\n",
		[]string{"~ 1 channels.mattermost.token_env odd_mattermost_token"}},
	{"names on Mattermost", "channels: {mattermost: {allowed: [\"@ole\", \"ole@example.org\", OW8YE3Q4MJNKFXT7I5A6B9C1DE, 5], groups: [\"~town-square\"]}}\n", []string{
		"! 1 channels.mattermost.allowed[0] mattermost_id_is_name [@ole]", "! 1 channels.mattermost.allowed[1] mattermost_id_is_name [ole@example.org]",
		"! 1 channels.mattermost.allowed[2] want_mattermost_id [\"OW8YE3Q4MJNKFXT7I5A6B9C1DE\"]", "! 1 channels.mattermost.allowed[3] want_mattermost_id [5]",
		"! 1 channels.mattermost.groups[0] mattermost_id_is_name [~town-square]"}},
	{"an id that ends with a good one", "channels: {mattermost: {allowed: [x.ow8ye3q4mjnkfxt7i5a6b9c1de]}, discord: {allowed: [\"x:123456789012345678\"]}}\n", []string{
		"! 1 channels.mattermost.allowed[0] want_mattermost_id [\"x.ow8ye3q4mjnkfxt7i5a6b9c1de\"]",
		"! 1 channels.discord.allowed[0] want_discord_id [\"x:123456789012345678\"]"}},
	{"unencrypted Mattermost", "channels: {mattermost: {url: \"http://chat.example.org\", listen: \":8066\", public_url: \"http://10.1.2.3:8066\"}}\n", []string{
		"! 1 channels.mattermost.url public_http [http://chat.example.org]", "~ 1 channels.mattermost.public_url plain_http [http://10.1.2.3:8066]"}},
	{"half a way back", "channels: {mattermost: [{name: a, listen: \":8066\"},\n {name: b, public_url: \"https://bot.example.org\"}]}\n", []string{
		"! 1 channels.mattermost[0].public_url missing_key [public_url]", "! 2 channels.mattermost[1].listen missing_key [listen]"}},
	{"no address to listen on", "channels: {mattermost: {listen: bot.example.org, public_url: \"https://bot.example.org\"}, telegram: {webhook: {listen: \"127.0.0.1:70000\"}}}\n", []string{
		"! 1 channels.mattermost.listen want_listen [\"bot.example.org\"]", "! 1 channels.telegram.webhook.listen want_listen [\"127.0.0.1:70000\"]"}},
	{"two at one place", "channels: {mattermost: {enabled: true, token_env: MM, url: \"https://chat.example.org\", pairing: always, listen: \":8066\", public_url: \"https://bot.example.org\"},\n" +
		" telegram: {enabled: true, token_env: GOOD, allowed: [5], mode: webhook, webhook: {url: \"https://bot.example.org/tg\", listen: \":8066\"}}}\n", []string{
		"! 1 channels.mattermost.listen same_listen [channels.telegram.webhook.listen]"}},
	{"short secret", "channels: {mattermost: {enabled: true, token_env: MM, url: \"https://chat.example.org\", pairing: always, button_secret: \"${env:SHORT}\"}}\n",
		[]string{"! 1 channels.mattermost.button_secret short_secret [16]"}},
	{"two secrets", "channels: {mattermost: {command_token: \"${env:A}\", command_token_env: B, button_secret: \"${env:A}\", button_secret_env: B}}\n", []string{
		"! 1 channels.mattermost.command_token_env secret_twice [command_token] [command_token_env]",
		"! 1 channels.mattermost.button_secret_env secret_twice [button_secret] [button_secret_env]"}},
	{"where a thread begins", "channels: {mattermost: {thread: alway}}\n", []string{"! 1 channels.mattermost.thread not_one_of_but [\"alway\"] [always, when_threaded] [always]"}},

	// Telegram by webhook.
	{"webhook", "channels: {telegram: {enabled: true, token_env: GOOD, allowed: [5], mode: webhook, rich: true, ephemeral: true,\n" +
		" webhook: {url: \"https://bot.example.org/tg\", listen: \"127.0.0.1:8443\", secret_env: SHORT}}}\n", nil},
	{"webhook without anything", "channels: {telegram: {mode: webhook}}\n", []string{"! 1 channels.telegram.webhook missing_key [webhook]"}},
	{"half a webhook", "channels: {telegram: {mode: webhook, webhook: {listen: \":8443\"}}}\n", []string{"! 1 channels.telegram.webhook.url missing_key [url]"}},
	{"webhook in the open", "channels: {telegram: {mode: webhook, webhook: {listen: \":8443\", url: \"http://bot.example.org\"}}}\n",
		[]string{"! 1 channels.telegram.webhook.url public_http [http://bot.example.org]"}},
	{"secret that Telegram does not take", "channels: {telegram: {webhook: {secret: \"kein gutes\"}}}\n", []string{
		"! 1 channels.telegram.webhook.secret bad_webhook_secret", "~ 1 channels.telegram.webhook.secret secret_literal"}},
	{"mode", "channels: {telegram: {mode: push}}\n", []string{"! 1 channels.telegram.mode not_one_of [\"push\"] [poll, webhook]"}},

	// Speech.
	{"transcriber", "transcriber: {command: [/usr/bin/transkript, --sprache, de], timeout_s: 0}\n", []string{"! 1 transcriber.timeout_s out_of_range [0] [1] [3600]"}},
	{"transcriber as a line", "transcriber: {command: {a: b}}\n", []string{"! 1 transcriber.command want_text [{…}]"}},

	// Paths, models, schedule.
	{"not there", "human: {vault: /nirgends/notizen}\ntresor: {vaults: [/nirgends/tresor]}\n", []string{
		"~ 1 human.vault path_not_there [/nirgends/notizen]", "~ 2 tresor.vaults[0] path_not_there [/nirgends/tresor]"}},
	{"twice", "human: {vault: [/usr, /usr/]}\n", []string{"! 1 human.vault[1] path_twice [/usr]"}},
	{"nested", "human: {vault: [/usr/lib, /usr]}\n", []string{"! 1 human.vault[1] path_nested [/usr/lib] [/usr]"}},
	{"beside", "human: {vault: [/usr, /usr-lokal]}\n", []string{"~ 1 human.vault[1] path_not_there [/usr-lokal]"}},
	{"scope", "tresor: {vaults: [{path: /usr, scope: projekte}, {path: /bin, id: b, scope: \"\"}, {path: /lib, scope: [projekt]}]}\n", []string{
		"! 1 tresor.vaults[0].scope not_one_of_but [\"projekte\"] [organisation, fachbereich, projekt, persoenlich] [projekt]",
		"! 1 tresor.vaults[2].scope not_one_of [[…]] [organisation, fachbereich, projekt, persoenlich]"}},
	{"audience", "tresor: {vaults: [{path: /usr, audience: [all, user, admin, vorstand, telegram/main, slack/main/5]}]}\n", []string{
		"~ 1 tresor.vaults[0].audience unknown_audience [vorstand]", "~ 1 tresor.vaults[0].audience unknown_audience [telegram/main]",
		"~ 1 tresor.vaults[0].audience unknown_audience [slack/main/5]"}},
	{"places as audience", "tresor: {vaults: [{path: /usr, audience: [telegram/main/-1001234, \"discord/zweit/space:123456789012345678\", mattermost/main/ow8ye3q4mjnkfxt7i5a6b9c1de]}]}\n", nil},
	{"Tresor twice", "tresor: {vaults: [/a/Werk, {id: Werk, path: /b/x}]}\n", []string{
		"~ 1 tresor.vaults[0] path_not_there [/a/Werk]", "! 1 tresor.vaults[1].id want_name [\"Werk\"]", "~ 1 tresor.vaults[1].path path_not_there [/b/x]"}},
	{"Tresor twice but for case", "tresor: {vaults: [/a/Werk, {id: werk, path: /usr}]}\n",
		[]string{"~ 1 tresor.vaults[0] path_not_there [/a/Werk]", "! 1 tresor.vaults[1].id duplicate_value [\"werk\"] [1]"}},
	{"Tresor twice by folder", "tresor: {vaults: [/usr/lib, {id: lib, path: /usr}]}\n", []string{"! 1 tresor.vaults[1].id duplicate_value [\"lib\"] [1]"}},
	{"Tresor called like an agent", "tresor: {vaults: [{id: tresor, path: /usr}, {id: relay, path: /bin}, {id: handbuch, path: /etc}, {id: zeno, path: /var}]}\n", []string{
		"! 1 tresor.vaults[0].id reserved_name [tresor]", "! 1 tresor.vaults[1].id reserved_name [relay]",
		"! 1 tresor.vaults[2].id reserved_name [handbuch]", "! 1 tresor.vaults[3].id reserved_name [zeno]"}},
	{"Tresor called like an agent by its name", "agents: {tresor: {name: Werk}}\ntresor: {vaults: [{id: werk, path: /usr}]}\n", []string{"! 2 tresor.vaults[0].id reserved_name [werk]"}},
	{"folder of a Tresor twice", "tresor: {vaults: [{id: a, path: /usr}, {id: b, path: /usr/}, {id: c, path: /usr/../usr, scope: projekt}]}\n", []string{
		"! 1 tresor.vaults[1].path path_twice [/usr]", "! 1 tresor.vaults[2].path path_twice [/usr]"}},
	{"no model", "agents: {data: {model: schnell}}\nllm: {models: {fast: {name: x}}}\n", []string{"~ 0  not_used_yet [agents.data.model, llm]", "! 1 agents.data.model no_model [schnell]"}},
	{"nearly a model", "agents: {data: {model: fats}}\nllm: {models: {fast: {name: x}}}\n", []string{"~ 0  not_used_yet [agents.data.model, llm]", "! 1 agents.data.model no_model_but [fats] [fast]"}},
	{"no provider", "llm: {models: {fast: {provider: eigenbau}}}\n", []string{"~ 0  not_used_yet [llm]", "! 1 llm.models.fast.provider no_provider [eigenbau]"}},
	{"nearly a provider", "llm: {models: {fast: {provider: antropic}}}\n", []string{"~ 0  not_used_yet [llm]", "! 1 llm.models.fast.provider no_provider_but [antropic] [anthropic]"}},
	{"model for nobody", "llm: {models: {gross: {name: x}}}\n", []string{"~ 0  not_used_yet [llm]", "~ 1 llm.models.gross unused_model [gross]"}},
	{"agent is off", "schedule: {action_tasks: {enabled: true}, agenda_review: {enabled: true}}\n", []string{
		"~ 0  not_used_yet [schedule]", "~ 1 schedule.action_tasks.enabled agent_is_off [action_tasks] [action]"}},
	{"open without a password", "webui: {host: 0.0.0.0}\n", []string{"~ 0  not_used_yet [webui]", "! 1 webui.host host_password [\"0.0.0.0\"]"}},
}

func TestProblems(t *testing.T) {
	env := environ("GOOD", goodToken, "ODD", "odd-token", "UNDEFINED", "undefined", "SHORT", "kurz",
		"DISCORD", discordToken, "MM", mattermostToken, "MMCMD", strings.Repeat("c", 26))
	for _, tt := range problemCases {
		t.Run(tt.name, func(t *testing.T) {
			name := "config.yaml"
			if strings.HasPrefix(tt.file, "{") || strings.HasPrefix(tt.file, "[") {
				name = "config.json"
			}
			_, problems := loadFile(t, name, tt.file, env)
			wantLines(t, problems, tt.want...)
		})
	}
}

// Files and their modes.
func TestProblemsOfFiles(t *testing.T) {
	write := func(path, content string, mode os.FileMode) {
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	token := func(file string) string {
		return "channels: {telegram: {enabled: true, token: \"${file:" + file + "}\", allowed: [5]}}\n"
	}
	for _, tt := range []struct {
		name  string
		files func(dir string)
		want  []string // with $ for the directory
	}{
		{"both", func(dir string) {
			write(dir+"/config.json", "{}", 0o600)
			write(dir+"/config.yaml", "", 0o600)
		}, []string{"! 0  both_files [config.json] [config.yaml]"}},
		{"other name", func(dir string) { write(dir+"/config.yml", "", 0o600) }, []string{"! 0  other_name [config.yml] [config.yaml]"}},
		{"writable", func(dir string) { write(dir+"/config.yaml", "", 0o620) }, []string{"! 0  file_writable [0620] [$/config.yaml]"}},
		{"readable without a secret", func(dir string) { write(dir+"/config.yaml", "mode: personal", 0o644) }, nil},
		{"readable with a secret", func(dir string) { write(dir+"/config.json", `{"webui":{"password":"geheim-1"}}`, 0o644) },
			[]string{"~ 0  not_used_yet [webui]", "! 1 webui.password secret_exposed [0644] [$/config.json]"}},
		{"secret file", func(dir string) {
			write(dir+"/config.yaml", token(dir+"/token"), 0o644)
			write(dir+"/token", goodToken+"\n", 0o400)
		}, nil},
		{"secret file that others read", func(dir string) {
			write(dir+"/config.yaml", token(dir+"/token"), 0o600)
			write(dir+"/token", goodToken, 0o644)
		}, []string{"! 1 channels.telegram.token secret_file_open [$/token] [0644]"}},
		{"secret file that is not there", func(dir string) { write(dir+"/config.yaml", token(dir+"/token"), 0o600) },
			[]string{"! 1 channels.telegram.token secret_file_gone [$/token]"}},
		{"secret file that is a folder", func(dir string) { write(dir+"/config.yaml", token(dir), 0o600) },
			[]string{"! 1 channels.telegram.token secret_file_odd [$]"}},
		{"secret file without a path", func(dir string) { write(dir+"/config.yaml", token("token"), 0o600) },
			[]string{"! 1 channels.telegram.token want_path [token]"}},
		{"notes in the human directory", func(dir string) {
			write(dir+"/config.yaml", "human: {vault: ["+dir+"/rules, "+dir+"/vault, "+filepath.Dir(dir)+"]}", 0o600)
		}, []string{"! 1 human.vault[0] path_in_human [$/rules]", "~ 1 human.vault[0] path_not_there [$/rules]", "~ 1 human.vault[1] path_not_there [$/vault]",
			"! 1 human.vault[2] path_nested [$] [$$]", "! 1 human.vault[2] path_nested [$/rules] [$$]", "! 1 human.vault[2] path_nested [$/vault] [$$]"}},
		{"secret file that is empty", func(dir string) {
			write(dir+"/config.yaml", token(dir+"/token"), 0o600)
			write(dir+"/token", "\n", 0o600)
		}, []string{"! 1 channels.telegram.token secret_placeholder"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.files(dir)
			_, problems, err := config.Load(dir, environ())
			if err != nil {
				t.Fatal(err)
			}
			for i := range tt.want {
				tt.want[i] = strings.NewReplacer("$$", filepath.Dir(dir), "$", dir).Replace(tt.want[i])
			}
			wantLines(t, problems, tt.want...)
		})
	}
}

// Root's group is root: systemd hands a service its credentials like that. Any
// other group is somebody else.
func TestSecretFilesThatAGroupReads(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give files to groups")
	}
	for _, tt := range []struct {
		mode os.FileMode
		gid  int
		want string
	}{
		{0o440, 0, ""},
		{0o460, 0, "! 1 channels.telegram.token secret_file_open [%s] [0460]"},
		{0o444, 0, "! 1 channels.telegram.token secret_file_open [%s] [0444]"},
		{0o440, 4711, "! 1 channels.telegram.token secret_file_open [%s] [0440]"},
	} {
		dir := t.TempDir()
		token := filepath.Join(dir, "token")
		file := filepath.Join(dir, "config.yaml")
		content := "channels: {telegram: {enabled: true, token: \"file:" + token + "\", allowed: [5]}}"
		if err := errors.Join(os.WriteFile(file, []byte(content), 0o600), os.WriteFile(token, []byte(goodToken), 0o600),
			os.Chown(token, 0, tt.gid), os.Chmod(token, tt.mode)); err != nil {
			t.Fatal(err)
		}
		_, problems, err := config.Load(dir, environ())
		if err != nil {
			t.Fatal(err)
		}
		if tt.want == "" {
			wantLines(t, problems)
		} else {
			wantLines(t, problems, fmt.Sprintf(tt.want, token))
		}
	}
}

func TestForeignFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give files away")
	}
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	file := filepath.Join(dir, "config.yaml")
	for path, content := range map[string]string{token: goodToken, file: "channels: {telegram: {enabled: true, token: \"file:" + token + "\", allowed: [5]}}"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(token, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	_, problems, err := config.Load(dir, environ())
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, problems, fmt.Sprintf("! 1 channels.telegram.token secret_file_foreign [%s]", token))
	if err := os.Chown(file, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	if _, problems, err = config.Load(dir, environ()); err != nil {
		t.Fatal(err)
	}
	wantLines(t, problems, "! 0  file_foreign")
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "config.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := config.Load(dir, environ()); err == nil || !strings.HasPrefix(err.Error(), "config: ") {
		t.Errorf("a folder as the file: %v", err)
	}
}

// Every code has a case above.
func TestEveryCodeIsTested(t *testing.T) {
	source, err := os.ReadFile("problem.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, name := range []string{"problem_test.go", "shapes_test.go", "load_test.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(b)
	}
	codes := regexp.MustCompile(`Code = "config\.(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 50 {
		t.Fatalf("%d codes", len(codes))
	}
	for _, c := range codes {
		if !regexp.MustCompile(` ` + c[1] + `["\s]`).MatchString(tests.String()) {
			t.Errorf("no test for %s", c[1])
		}
	}
}
