package channeltest

import (
	"fmt"
	"slices"
	"strings"

	"outheis/channels"
)

// greetings are one menu in two languages.
func greetings() (de, en []channels.Command) {
	de = []channels.Command{{Name: "start", About: "Begrüßung"}, {Name: "tresor", About: "Frage an einen Tresor"}}
	en = []channels.Command{{Name: "start", About: "Greeting"}, {Name: "tresor", About: "Ask a Tresor"}}
	return de, en
}

// setMenu sets a menu and fails the case unless it is set.
func (b *bench) setMenu(c channels.Channel, lang string, list []channels.Command) {
	b.Helper()
	if err := c.(channels.Commander).SetCommands(b.soon(), lang, list); err != nil {
		b.typed(err, "")
		b.Fatalf("SetCommands(%q): %v", lang, err)
	}
}

func menu(b *bench) {
	c := b.open()
	de, en := greetings()
	b.setMenu(c, "de", de)
	b.setMenu(c, "", en)
	equal(b, "menu de", fmt.Sprint(b.net.Menu("de")), fmt.Sprint(de))
	equal(b, "default menu", fmt.Sprint(b.net.Menu("")), fmt.Sprint(en))
	var many []channels.Command
	for i := range 300 {
		many = append(many, channels.Command{Name: fmt.Sprint("befehl_", i), About: strings.Repeat("x", 100)})
	}
	b.setMenu(c, "de", many)
	if got := b.net.Menu("de"); len(got) == 0 || got[0] != many[0] {
		b.Errorf("of a menu that is too large %d entries are left", len(got))
	}
}

func unchangedMenu(b *bench) {
	c := b.open()
	de, en := greetings()
	set := func(c channels.Channel) {
		b.setMenu(c, "de", de)
		b.setMenu(c, "", en)
	}
	set(c)
	writes := b.net.MenuWrites()
	set(c)
	b.close(c)
	c = b.open()
	set(c)
	equal(b, "writes for what was set", b.net.MenuWrites()-writes, 0)
	de[0].About = "Begrüßung und Hilfe"
	b.setMenu(c, "de", de)
	if b.net.MenuWrites() == writes {
		b.Error("a changed menu was not written")
	}
	equal(b, "changed menu", fmt.Sprint(b.net.Menu("de")), fmt.Sprint(de))
}

func menuArguments(b *bench) {
	c := b.open()
	list := []channels.Command{
		{Name: "hilfe", About: "Was ich kann"},
		{Name: "tresor", About: "Frage an einen Tresor", Argument: "frage", ArgumentAbout: "Deine Frage in eigenen Worten", Everywhere: true},
	}
	b.setMenu(c, "", list)
	got := b.net.Menu("")
	same := func(x, y channels.Command) bool {
		return x.Name == y.Name && x.About == y.About && x.Argument == y.Argument && x.ArgumentAbout == y.ArgumentAbout
	}
	if !slices.EqualFunc(got, list, same) {
		b.Errorf("menu is %+v, want %+v", got, list)
	}
}

func checks(b *bench) {
	c := b.open()
	look := func() (worst channels.State, all []channels.Finding) {
		worst = channels.Green
		all = c.(channels.Checker).Check(b.soon())
		b.note(all)
		if len(all) == 0 {
			b.Fatal("Check found nothing to say")
		}
		for _, f := range all {
			if f.Text == "" || f.Level != channels.Green && f.Remedy == "" {
				b.Errorf("finding without a text or a remedy: %+v", f)
			}
			switch {
			case f.Level == channels.Red, f.Level == channels.Yellow && worst == channels.Green:
				worst = f.Level
			case f.Level != channels.Green && f.Level != channels.Yellow:
				b.Errorf("finding of level %q", f.Level)
			}
		}
		return worst, all
	}
	if worst, all := look(); worst == channels.Red {
		b.Errorf("all is well, and Check says %+v", all)
	}
	b.net.Revoke()
	if worst, all := look(); worst != channels.Red {
		b.Errorf("the credentials are invalid, and Check says %+v", all)
	}
}
