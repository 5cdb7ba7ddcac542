package channeltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/formatting"
)

// sendingCases say what becomes of a post, and what a failure is called.
func sendingCases() []testCase {
	return []testCase{
		{"PostArrives", nil, postArrives},
		{"MarkupArrives", []Ability{Markup}, markupArrives},
		{"RenderedAnswerArrives", nil, renderedAnswerArrives},
		{"PlainIsNotMarkup", nil, plainIsNotMarkup},
		{"LimitIsUsedUp", []Ability{Limit}, limitIsUsedUp},
		{"TooLongIsRefused", []Ability{Limit}, tooLongIsRefused},
		{"BrokenMarkupMayPassAsPlain", []Ability{Markup}, brokenMarkup},
		{"NoConnectionIsNotSent", []Ability{Outage}, noConnection},
		{"EndedContextIsNotSent", nil, endedContext},
		{"CutBeforeTheEffectIsUnsure", []Ability{Faults}, unsure(CutBefore, 0)},
		{"CutAfterTheEffectIsUnsure", []Ability{Faults}, unsure(CutAfter, 1)},
		{"ServerErrorIsUnsure", []Ability{Faults}, unsure(ServerError, 0)},
		{"GarbageIsUnsure", []Ability{Faults}, unsure(Garbage, 1)},
		{"NoAnswerInTimeIsUnsure", []Ability{Faults}, unsure(Late, 1)},
		{"EndedContextWhileWaitingIsUnsure", []Ability{Faults}, endedWhileWaiting},
		{"SlowAnswerIsAnAnswer", []Ability{Faults}, slowAnswer},
		{"RedirectIsNotFollowed", []Ability{Faults, Redirects}, redirect},
		{"AskedToWait", []Ability{RateLimit}, askedToWait},
		{"AskedToWaitHoldsUpNobodyElse", []Ability{RateLimit, ChatWaits}, waitHoldsUpNobodyElse},
		{"TurnIsWaitedForBeforeSending", []Ability{Turns, RateLimit}, turnIsWaitedFor},
		{"TurnEndsWithTheContext", []Ability{Turns, RateLimit}, turnEnds},
		{"AskedToWaitEverybody", []Ability{RateLimit}, askedToWaitEverybody},
		{"BlockedIsGone", []Ability{Closing}, closed(AdaDirect, Blocked)},
		{"RemovedIsGone", []Ability{Closing, Groups}, closed(InGroup, Removed)},
		{"SilencedIsGone", []Ability{Closing, Groups}, closed(InGroup, Silenced)},
		{"MovedIsGoneWithTheNewAddress", []Ability{Moves, Groups}, moved},
		{"WrongCredentialsAreMisconfigured", []Ability{Revoking}, wrongCredentials},
		{"ManySendAtOnce", nil, manySendAtOnce},
	}
}

// asked starts a channel and returns it with an address of Ada's.
func (b *bench) asked() (channels.Channel, channels.Address) {
	b.Helper()
	r := b.start()
	return r.c, r.hear(Line{At: AdaDirect, From: Ada, Text: "Frage"}).Address
}

func postArrives(b *bench) {
	c, to := b.asked()
	seen := make(map[string]bool)
	for _, s := range []string{"Die Frist endet am 2. Mai.", "Größe: 😀👨‍👩‍👧‍👦", "Zeile\nZeile\n\nAbsatz", "a < b && c > d"} {
		remote := b.must(c, text(to, s)).Remote
		if seen[remote] {
			b.Errorf("two messages have the id %s", remote)
		}
		seen[remote] = true
		got := b.net.Arrived(AdaDirect)
		last := got[len(got)-1]
		equal(b, "text", last.Text, s)
		equal(b, "id", last.Remote, remote)
	}
}

func markupArrives(b *bench) {
	c, to := b.asked()
	b.must(c, post(to, b.net.Marked("fett & <schön>")))
	got := b.net.Arrived(AdaDirect)[0]
	equal(b, "text", got.Text, "fett & <schön>")
	equal(b, "marked", got.Marked, true)
}

func renderedAnswerArrives(b *bench) {
	c, to := b.asked()
	doc := formatting.Document{Blocks: []formatting.Block{
		formatting.Paragraph{Inlines: []formatting.Inline{
			formatting.Text("Die Frist beträgt "), formatting.Strong{Inlines: []formatting.Inline{formatting.Text("drei Monate")}},
			formatting.Text(", siehe "), formatting.Code("a<b>_c"), formatting.Text(". "), formatting.Citation("C-0001"),
		}},
		formatting.CodeBlock{Lang: "go", Text: "if a < b && c > d { }\n"},
		formatting.List{Items: []formatting.Item{{Blocks: []formatting.Block{formatting.Paragraph{Inlines: []formatting.Inline{formatting.Text("eins 😀")}}}}}},
	}}
	for range 200 {
		doc.Blocks = append(doc.Blocks, formatting.Paragraph{Inlines: []formatting.Inline{formatting.Text("Und noch ein Absatz mit Wörtern, die alle ankommen sollen.")}})
	}
	for _, part := range formatting.Render(doc, c.Profile()) {
		b.must(c, post(to, part))
	}
	all := strings.Join(b.texts(AdaDirect), "\n")
	for _, want := range []string{"drei Monate", "a<b>_c", "C-0001", "if a < b && c > d { }", "eins 😀"} {
		if !strings.Contains(all, want) {
			b.Errorf("%q did not arrive", want)
		}
	}
	equal(b, "paragraphs", strings.Count(all, "ankommen sollen"), 200)
}

func plainIsNotMarkup(b *bench) {
	c, to := b.asked()
	for _, s := range []string{"<b>nicht fett</b>", "*nicht* _fett_ `x` [a](http://b.example)", "&lt; bleibt", "<unbekannt>"} {
		p := post(to, formatting.Part{Text: "anders", Plain: s})
		p.Plain = true
		b.must(c, p)
		got := b.net.Arrived(AdaDirect)
		equal(b, "text", got[len(got)-1].Text, s)
	}
}

func limitIsUsedUp(b *bench) {
	c, to := b.asked()
	p := c.Profile()
	for _, unit := range []string{"a", "ü", "漢", "😀"} {
		s := strings.Repeat(unit, p.Limit/p.Measure.Of(unit))
		b.must(c, text(to, s))
		got := b.net.Arrived(AdaDirect)
		if got[len(got)-1].Text != s {
			b.Errorf("%d times %q did not arrive whole", p.Limit/p.Measure.Of(unit), unit)
		}
	}
}

func tooLongIsRefused(b *bench) {
	c, to := b.asked()
	p := c.Profile()
	for _, n := range []int{p.Limit + 1, 10 * p.Limit, 1 << 20} {
		se := b.refused(c, text(to, strings.Repeat("a", n)), channels.Refused)
		equal(b, "markup", se.Markup, false)
	}
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
}

func brokenMarkup(b *bench) {
	c, to := b.asked()
	p := post(to, b.net.Broken("das ist der Text"))
	se := b.refused(c, p, channels.Refused)
	equal(b, "markup", se.Markup, true)
	p.Plain = true
	b.must(c, p)
	equal(b, "arrived", strings.Join(b.texts(AdaDirect), "|"), "das ist der Text")
}

func noConnection(b *bench) {
	r := b.start()
	to := r.hear(Line{At: AdaDirect, From: Ada, Text: "Frage"}).Address
	r.stop()
	b.net.GoDown()
	// The first try may find a connection that is just being cut; then it
	// cannot be sure.
	if _, se := b.send(r.c, text(to, "verloren?")); se == nil || se.Class != channels.NotSent && se.Class != channels.Unsure {
		b.Fatalf("without a network: %v", se)
	}
	b.refused(r.c, text(to, "verloren?"), channels.NotSent)
	b.net.ComeUp()
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
	b.must(r.c, text(to, "nachgeholt"))
}

func endedContext(b *bench) {
	c, to := b.asked()
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	_, se := b.sendCtx(ctx, c, text(to, "zu spät"))
	if se == nil {
		b.Fatal("Send succeeded with an ended context")
	}
	equal(b, "class", se.Class, channels.NotSent)
	if !errors.Is(se, context.Canceled) {
		b.Errorf("the context's error is not reachable: %v", se)
	}
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
}

// unsure breaks one send; arrived is how many messages the network shows then.
func unsure(f Fault, arrived int) func(*bench) {
	return func(b *bench) {
		c, to := b.asked()
		b.net.BreakSend(f, 1)
		b.refused(c, text(to, "kam es an?"), channels.Unsure)
		equal(b, "arrived", len(b.texts(AdaDirect)), arrived)
		b.must(c, text(to, "weiter"))
		equal(b, "arrived after the next", len(b.texts(AdaDirect)), arrived+1)
	}
}

func endedWhileWaiting(b *bench) {
	c, to := b.asked()
	b.net.BreakSend(Late, 1)
	ctx, cancel := context.WithTimeout(b.Context(), 100*time.Millisecond)
	defer cancel()
	_, se := b.sendCtx(ctx, c, text(to, "kam es an?"))
	if se == nil {
		b.Fatal("Send succeeded without an answer")
	}
	equal(b, "class", se.Class, channels.Unsure)
}

func slowAnswer(b *bench) {
	c, to := b.asked()
	b.net.BreakSend(Slow, 1)
	b.must(c, text(to, "langsam"))
	equal(b, "arrived", len(b.texts(AdaDirect)), 1)
}

func redirect(b *bench) {
	c, to := b.asked()
	b.net.BreakSend(Elsewhere, 1)
	if _, se := b.send(c, text(to, "wohin?")); se == nil {
		b.Error("a redirect counts as sent")
	}
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
	b.must(c, text(to, "weiter"))
}

func askedToWait(b *bench) {
	c, to := b.asked()
	b.net.BreakSend(WaitChat, 1)
	se := b.refused(c, text(to, "zu schnell"), channels.RetryAfter)
	equal(b, "after", se.After, WaitAsked)
	if b.has(ChatWaits) {
		equal(b, "scope", se.Scope, channels.ScopeChat)
	}
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
	start := time.Now()
	b.must(c, text(to, "zu schnell"))
	if d := time.Since(start); d < WaitAsked*8/10 {
		b.Errorf("the chat was sent to again after %s, want %s", d, WaitAsked)
	}
	equal(b, "arrived", strings.Join(b.texts(AdaDirect), "|"), "zu schnell")
}

func waitHoldsUpNobodyElse(b *bench) {
	r := b.start()
	ada := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"}).Address
	ben := r.hear(Line{At: BenDirect, From: Ben, Text: "zwei"}).Address
	b.net.BreakSend(WaitChat, 1)
	b.refused(r.c, text(ada, "zu schnell"), channels.RetryAfter)
	start := time.Now()
	b.must(r.c, text(ben, "sofort"))
	if d := time.Since(start); d > WaitAsked*8/10 {
		b.Errorf("another chat waited %s", d)
	}
}

func turnIsWaitedFor(b *bench) {
	r := b.start()
	ada := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"}).Address
	ben := r.hear(Line{At: BenDirect, From: Ben, Text: "zwei"}).Address
	b.net.BreakSend(WaitChat, 1)
	b.refused(r.c, text(ada, "zu schnell"), channels.RetryAfter)
	taker := r.c.(channels.TurnTaker)
	start, waited := time.Now(), 0
	waits := func() error { waited++; return nil }
	if !b.has(ChatWaits) {
		// Both wait.
	} else if err := taker.TakeTurn(b.soon(), ben, waits); err != nil || waited != 0 {
		b.Errorf("another chat: TakeTurn = %v with %d waits, want nil at once", err, waited)
	}
	if err := taker.TakeTurn(b.soon(), ada, waits); err != nil || waited != 1 {
		b.Errorf("TakeTurn = %v with %d waits, want nil with one", err, waited)
	}
	if d := time.Since(start); d < WaitAsked*8/10 {
		b.Errorf("the turn came after %s, want %s", d, WaitAsked)
	}
	equal(b, "arrived before Send", len(b.texts(AdaDirect))+len(b.texts(BenDirect)), 0)
	b.must(r.c, text(ada, "jetzt"))
	b.must(r.c, text(ben, "jetzt"))
	equal(b, "Ada reads", strings.Join(b.texts(AdaDirect), "|"), "jetzt")
}

func turnEnds(b *bench) {
	c, to := b.asked()
	b.net.BreakSend(WaitChat, 1)
	b.refused(c, text(to, "zu schnell"), channels.RetryAfter)
	taker := c.(channels.TurnTaker)
	ctx, cancel := context.WithCancel(b.Context())
	if err := taker.TakeTurn(ctx, to, func() error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		b.Errorf("TakeTurn = %v, want the context's error", err)
	}
	full := errors.New("disk full")
	if err := taker.TakeTurn(b.soon(), to, func() error { return full }); !errors.Is(err, full) {
		b.Errorf("TakeTurn = %v, want the caller's error", err)
	}
	equal(b, "arrived", len(b.texts(AdaDirect)), 0)
}

func askedToWaitEverybody(b *bench) {
	r := b.start()
	ada := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"}).Address
	ben := r.hear(Line{At: BenDirect, From: Ben, Text: "zwei"}).Address
	b.net.BreakSend(WaitAccount, 2)
	b.refused(r.c, text(ada, "zu schnell"), channels.RetryAfter)
	// A network may leave open whom it means until a second chat has to wait.
	if se := b.refused(r.c, text(ben, "auch"), channels.RetryAfter); se.Scope != channels.ScopeAccount {
		b.Errorf("two chats have to wait, and the scope is %s", se.Scope)
	}
}

func closed(at Place, how Closure) func(*bench) {
	return func(b *bench) {
		r := b.start()
		to := r.hear(Line{At: at, From: Ada, Text: "eins"}).Address
		b.net.Close(at, how)
		se := b.refused(r.c, text(to, "noch da?"), channels.Gone)
		if se.Remedy == "" {
			b.Errorf("Gone without a remedy: %v", se)
		}
		if !se.Moved.IsZero() {
			b.Errorf("a closed chat has moved to %+v", se.Moved)
		}
	}
}

func moved(b *bench) {
	r := b.start()
	to := r.hear(Line{At: InGroup, From: Ada, Text: "eins"}).Address
	b.net.Move()
	se := b.refused(r.c, text(to, "noch da?"), channels.Gone)
	if se.Moved.IsZero() {
		b.Fatal("the new address is missing")
	}
	b.must(r.c, text(b.stored(se.Moved), "wieder da"))
	equal(b, "the group reads", strings.Join(b.texts(InGroup), "|"), "wieder da")
}

func wrongCredentials(b *bench) {
	r := b.start()
	to := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"}).Address
	b.net.Revoke()
	b.refused(r.c, text(to, "noch da?"), channels.Misconfigured)
	se := channels.AsSendError(r.ended())
	if se == nil || se.Class != channels.Misconfigured || se.Remedy == "" {
		b.Errorf("Run returned %v, want misconfigured with a remedy", se)
	}
}

func manySendAtOnce(b *bench) {
	r := b.start()
	ada := r.hear(Line{At: AdaDirect, From: Ada, Text: "eins"}).Address
	ben := r.hear(Line{At: BenDirect, From: Ben, Text: "zwei"}).Address
	const each = 50
	var wg sync.WaitGroup
	for i := range each {
		for who, to := range map[string]channels.Address{"a": ada, "b": ben} {
			wg.Go(func() {
				if _, err := r.c.Send(b.Context(), text(to, fmt.Sprint(who, i))); err != nil {
					b.note(err)
					b.Errorf("Send: %v", err)
				}
			})
		}
	}
	wg.Wait()
	for who, at := range map[string]Place{"a": AdaDirect, "b": BenDirect} {
		got := make(map[string]int)
		for _, s := range b.texts(at) {
			got[s]++
		}
		for i := range each {
			if n := got[fmt.Sprint(who, i)]; n != 1 {
				b.Errorf("%s%d arrived %d times", who, i, n)
			}
		}
	}
}
