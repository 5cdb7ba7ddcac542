package channeltest

import (
	"encoding/json"
	"strings"
	"unicode"

	"outheis/channels"
)

// addressingCases say who speaks, to whom, and where an answer goes.
func addressingCases() []testCase {
	return []testCase{
		{"AnswerGoesToTheAsker", nil, answerGoesToTheAsker},
		{"AddressSurvivesRestart", nil, addressSurvivesRestart},
		{"ForeignAddressIsRefused", nil, foreignAddressIsRefused},
		{"CommandIsTakenApart", []Ability{Commands}, commandIsTakenApart},
		{"GroupMessageIsNotAddressed", []Ability{Groups}, groupMessageIsNotAddressed},
		{"AnswerToAGroupGoesToTheGroup", []Ability{Groups}, answerToAGroup},
		{"MentionAddressesUs", []Ability{Groups, Mentions}, mentionAddressesUs},
		{"MentionAfterEmoji", []Ability{Groups, Mentions}, mentionAfterEmoji},
		{"LongerNameIsNotOurs", []Ability{Groups, Mentions}, longerNameIsNotOurs},
		{"MentionInDirectChatIsRemoved", []Ability{Mentions}, mentionInDirectChat},
		{"CommandAddressesUs", []Ability{Groups, Commands}, commandAddressesUs},
		{"CommandForAnotherDoesNot", []Ability{Groups, Commands, Bots}, commandForAnother},
		{"CaptionCountsAsText", []Ability{Groups, Media, Mentions}, captionCountsAsText},
		{"ReplyToUsAddressesUs", []Ability{Groups, Replies}, replyToUs},
		{"ReplyToOthersDoesNot", []Ability{Groups, Replies}, replyToOthers},
		{"ForwardedTextIsNoQuestion", []Ability{Forwards}, forwardedText},
		{"ForwardedCommandIsNoCommand", []Ability{Forwards, Commands}, forwardedCommand},
		{"OtherBotsAreBots", []Ability{Groups, Bots}, otherBotsAreBots},
		{"OwnMessagesAreNoQuestions", nil, ownMessages},
		{"UnnamedSenderHasNoID", []Ability{Groups, Anonymous}, unnamedSender},
		{"TopicsAreToldApart", []Ability{Topics}, topicsAreToldApart},
		{"AllPartsStayInTheTopic", []Ability{Topics}, allPartsStayInTheTopic},
		{"GeneralTopicIsAnswered", []Ability{Topics, General}, generalTopicIsAnswered},
		{"TopicMessageIsNotAReply", []Ability{Topics, Replies}, topicMessageIsNotAReply},
	}
}

func answerGoesToTheAsker(b *bench) {
	r := b.start()
	ada := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"})
	ben := r.hear(Line{At: BenDirect, From: Ben, Text: "zwei"})
	b.must(r.c, text(ben.Address, "für Ben"))
	b.must(r.c, text(ada.Address, "für Ada"))
	equal(b, "Ada reads", strings.Join(b.texts(AdaDirect), "|"), "für Ada")
	equal(b, "Ben reads", strings.Join(b.texts(BenDirect), "|"), "für Ben")
}

// stored returns a as it comes back from the log.
func (b *bench) stored(a channels.Address) channels.Address {
	b.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		b.Fatal(err)
	}
	var back channels.Address
	if err := json.Unmarshal(raw, &back); err != nil {
		b.Fatal(err)
	}
	equal(b, "address from the log", back, a)
	return back
}

func addressSurvivesRestart(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"})
	r.stop()
	b.close(r.c)
	// A post needs no running Run.
	b.must(b.open(), text(b.stored(e.Address), "nach dem Neustart"))
	equal(b, "Ada reads", strings.Join(b.texts(AdaDirect), "|"), "nach dem Neustart")
}

func foreignAddressIsRefused(b *bench) {
	c := b.open()
	for _, a := range [][3]string{
		{"another-network", b.account, "42"}, {b.kind, "another-account", "42"}, {b.kind, b.account, "no such chat"},
	} {
		to, err := channels.NewAddress(a[0], a[1], a[2], "", "")
		if err != nil {
			b.Fatal(err)
		}
		if _, se := b.send(c, text(to, "hallo")); se == nil {
			b.Errorf("%v was accepted", a)
		} else if se.Class != channels.Refused && se.Class != channels.Gone {
			b.Errorf("%v: class %s, want refused or gone", a, se.Class)
		}
	}
}

func commandIsTakenApart(b *bench) {
	r := b.start()
	for _, tt := range []struct {
		line    Line
		command string
		text    string
	}{
		{Line{Command: "start"}, "start", ""},
		{Line{Command: "tresor", Text: "Frist für Widerspruch"}, "tresor", "Frist für Widerspruch"},
		{Line{Command: "help", For: "me"}, "help", ""},
	} {
		tt.line.At, tt.line.From = AdaDirect, Ada
		e := r.hear(tt.line)
		equal(b, "kind", e.Kind, channels.KindCommand)
		equal(b, "command", e.Command, tt.command)
		equal(b, "argument", e.Text, tt.text)
		equal(b, "addressed", e.Addressed, true)
	}
}

func groupMessageIsNotAddressed(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ada, Text: "Wer kommt mit? Frag den Bot!"})
	equal(b, "audience", e.Audience, channels.Group)
	equal(b, "addressed", e.Addressed, false)
	equal(b, "text", e.Text, "Wer kommt mit? Frag den Bot!")
	direct := r.hear(Line{At: AdaDirect, From: Ada, Text: "hier"})
	equal(b, "the same person", e.Actor.ID, direct.Actor.ID)
	if e.Address.Chat() == direct.Address.Chat() {
		b.Error("the group and the direct chat look like one")
	}
}

func answerToAGroup(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ada, Text: "hallo"})
	b.must(r.c, text(b.stored(e.Address), "an alle"))
	equal(b, "the group reads", strings.Join(b.texts(InGroup), "|"), "an alle")
	equal(b, "Ada reads", len(b.texts(AdaDirect)), 0)
}

// heard checks one line in the group.
func (r *running) heard(l Line, addressed bool, want string) channels.Event {
	r.b.Helper()
	if l.At == "" {
		l.At = InGroup
	}
	if l.From == "" {
		l.From = Ada
	}
	e := r.hear(l)
	if e.Addressed != addressed || e.Text != want {
		r.b.Errorf("%q: addressed %v with text %q, want %v with %q", l.Text, e.Addressed, e.Text, addressed, want)
	}
	return e
}

func mentionAddressesUs(b *bench) {
	r := b.start()
	r.heard(Line{Text: "{me} wann ist Ostern?"}, true, "wann ist Ostern?")
	r.heard(Line{Text: "{me}, wann?"}, true, "wann?")
	r.heard(Line{Text: "  {me}  wann?"}, true, "wann?")
	e := r.heard(Line{Text: "{me}"}, true, "")
	equal(b, "kind", e.Kind, channels.KindMessage)
	for _, text := range []string{"wann, {me}, ist Ostern?", "wann ist Ostern, {me}?", "wann ist Ostern? {me}"} {
		e = r.hear(Line{At: InGroup, From: Ada, Text: text})
		equal(b, "addressed", e.Addressed, true)
		words := strings.FieldsFunc(e.Text, func(r rune) bool { return !unicode.IsLetter(r) })
		equal(b, "words of "+text, strings.Join(words, " "), "wann ist Ostern")
	}
}

func mentionAfterEmoji(b *bench) {
	r := b.start()
	for _, before := range []string{"😀", "😀😀 ", "👨‍👩‍👧‍👦 ", "🇩🇪 ", "漢字 ", "שלום ", "é "} {
		e := r.hear(Line{At: InGroup, From: Ada, Text: before + " {me} wann?"})
		if !e.Addressed || e.Text != strings.TrimSpace(before)+" wann?" {
			b.Errorf("after %q: addressed %v with text %q", before, e.Addressed, e.Text)
		}
	}
	e := r.hear(Line{At: InGroup, From: Ada, Text: "{me} 😀😀 wann?"})
	equal(b, "text", e.Text, "😀😀 wann?")
}

func longerNameIsNotOurs(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ada, Text: "{other} wann?"})
	equal(b, "addressed", e.Addressed, false)
	if !strings.HasSuffix(e.Text, "wann?") || e.Text == "wann?" {
		b.Errorf("the mention of another was removed: %q", e.Text)
	}
}

func mentionInDirectChat(b *bench) {
	r := b.start()
	r.heard(Line{At: AdaDirect, Text: "{me} wann ist Ostern?"}, true, "wann ist Ostern?")
}

func commandAddressesUs(b *bench) {
	r := b.start()
	for _, l := range []Line{{Command: "tresor", Text: "Frist"}, {Command: "tresor", For: "me", Text: "Frist"}} {
		e := r.heard(l, true, "Frist")
		equal(b, "kind", e.Kind, channels.KindCommand)
		equal(b, "command", e.Command, "tresor")
	}
}

func commandForAnother(b *bench) {
	r := b.start()
	b.net.Say(Line{At: InGroup, From: Ada, Command: "start", For: "other"})
	marker := b.net.Say(Line{At: InGroup, From: Ada, Text: "weiter"})
	e := r.next()
	if e.Message == marker {
		return // not reported at all
	}
	equal(b, "addressed", e.Addressed, false)
	equal(b, "command", e.Command, "")
}

func captionCountsAsText(b *bench) {
	r := b.start()
	e := r.heard(Line{Media: "photo", Text: "{me} was ist das?"}, true, "was ist das?")
	equal(b, "unsupported", e.Unsupported, "photo")
}

func replyToUs(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ada, Text: "hallo"})
	ours := b.must(r.c, text(e.Address, "Die Frist endet im Mai."))
	reply := r.heard(Line{Text: "und dann?", ReplyTo: ours.Remote}, true, "und dann?")
	equal(b, "quoted", reply.Quoted, "Die Frist endet im Mai.")
}

func replyToOthers(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Ben, Text: "Ich war es."})
	reply := r.heard(Line{Text: "wirklich?", ReplyTo: e.Message}, false, "wirklich?")
	equal(b, "quoted", reply.Quoted, "Ich war es.")
}

func forwardedText(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "Lösche alles!", Forward: true})
	equal(b, "text", e.Text, "")
	equal(b, "quoted", e.Quoted, "Lösche alles!")
	equal(b, "unsupported", e.Unsupported, "forward")
	equal(b, "actor's kind", e.Actor.Kind, channels.Person)
}

func forwardedCommand(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Command: "vergiss_mich", Forward: true})
	equal(b, "kind", e.Kind, channels.KindMessage)
	equal(b, "command", e.Command, "")
}

func otherBotsAreBots(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Robot, Text: "{me} Fehler: keine Antwort"})
	equal(b, "actor's kind", e.Actor.Kind, channels.Bot)
}

func ownMessages(b *bench) {
	r := b.start()
	e := r.hear(Line{At: AdaDirect, From: Ada, Text: "hallo"})
	b.must(r.c, text(e.Address, "unsere Antwort"))
	marker := b.net.Say(Line{At: AdaDirect, From: Ada, Text: "weiter"})
	for e := r.next(); e.Message != marker; e = r.next() {
		if e.Actor.Kind == channels.Person {
			b.Errorf("our own message came back as one of a person: %+v", e)
		}
	}
}

func unnamedSender(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGroup, From: Nobody, Text: "{me} zeig alles"})
	equal(b, "actor's kind", e.Actor.Kind, channels.System)
	equal(b, "actor's id", e.Actor.ID, "")
}

func topicsAreToldApart(b *bench) {
	r := b.start()
	one := r.hear(Line{At: TopicOne, From: Ada, Text: "eins"})
	two := r.hear(Line{At: TopicTwo, From: Ada, Text: "zwei"})
	equal(b, "chat", one.Address.Chat(), two.Address.Chat())
	if one.Address.Thread() == "" || one.Address.Thread() == two.Address.Thread() {
		b.Errorf("threads %q and %q are not told apart", one.Address.Thread(), two.Address.Thread())
	}
	b.must(r.c, text(two.Address, "nach zwei"))
	b.must(r.c, text(one.Address, "nach eins"))
	equal(b, "topic one reads", strings.Join(b.texts(TopicOne), "|"), "nach eins")
	equal(b, "topic two reads", strings.Join(b.texts(TopicTwo), "|"), "nach zwei")
}

func allPartsStayInTheTopic(b *bench) {
	r := b.start()
	e := r.hear(Line{At: TopicTwo, From: Ada, Text: "viel"})
	r.stop()
	b.close(r.c)
	c, to := b.open(), b.stored(e.Address)
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		b.must(c, text(to, part))
	}
	plain := text(to, "ohne Auszeichnung")
	plain.Plain = true
	b.must(c, plain)
	equal(b, "topic two reads", strings.Join(b.texts(TopicTwo), "|"), "1/3|2/3|3/3|ohne Auszeichnung")
}

func generalTopicIsAnswered(b *bench) {
	r := b.start()
	e := r.hear(Line{At: InGeneral, From: Ada, Text: "allgemein"})
	one := r.hear(Line{At: TopicOne, From: Ada, Text: "eins"})
	if e.Address.Thread() == one.Address.Thread() {
		b.Error("the general topic and the first look like one")
	}
	b.must(r.c, text(e.Address, "an alle"))
	equal(b, "general reads", strings.Join(b.texts(InGeneral), "|"), "an alle")
}

func topicMessageIsNotAReply(b *bench) {
	r := b.start()
	e := r.heard(Line{At: TopicOne, Text: "nur so"}, false, "nur so")
	equal(b, "quoted", e.Quoted, "")
}
