package mattermost_test

import (
	"fmt"
	"testing"
	"time"

	"outheis/channels/channeltest"
	fake "outheis/channels/fakenet/mattermost"
)

const invented = "erfundenesfakekennwort0001"

// A fakeSide is a fake server with people and chats.
type fakeSide struct {
	t      *testing.T
	s      *fake.Server
	team   string
	people map[channeltest.Sender]string
	place  map[channeltest.Place]spot
}

func newFake(t *testing.T, o fake.Options) *fakeSide {
	t.Helper()
	o.Token, o.Bot = invented, fake.User{Username: "auskunft"}
	s, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ada := s.AddUser(fake.User{Username: "ada", FirstName: "Ada", LastName: "Beispiel", Locale: "de"}).ID
	ben := s.AddUser(fake.User{Username: "ben", FirstName: "Ben"}).ID
	robot := s.AddUser(fake.User{Username: "robot", IsBot: true}).ID
	f := &fakeSide{t: t, s: s, team: s.AddTeam("Team", ada, ben, robot),
		people: map[channeltest.Sender]string{channeltest.Ada: ada, channeltest.Ben: ben, channeltest.Robot: robot}}
	long := time.Now().Add(-time.Hour).UnixMilli() // ago
	forum := s.AddChannel(f.team, "forum", fake.Open, ada, ben)
	f.place = map[channeltest.Place]spot{
		channeltest.AdaDirect: {channel: s.Direct(ada)},
		channeltest.BenDirect: {channel: s.Direct(ben)},
		channeltest.InGroup:   {channel: s.AddChannel(f.team, "runde", fake.Private, ada, ben, robot)},
		channeltest.TopicOne:  {channel: forum, root: s.Post(fake.Line{Channel: forum, From: ben, Text: "Eins", At: long})},
		channeltest.TopicTwo:  {channel: forum, root: s.Post(fake.Line{Channel: forum, From: ben, Text: "Zwei", At: long})},
	}
	return f
}

func (f *fakeSide) url() string { return f.s.URL() }
func (f *fakeSide) bot() (id, name, token string) {
	b := f.s.Bot()
	return b.ID, b.Username, f.s.Token()
}
func (f *fakeSide) at(p channeltest.Place) spot          { return f.place[p] }
func (f *fakeSide) person(who channeltest.Sender) string { return f.people[who] }
func (f *fakeSide) edit(id, text string)                 { f.s.Edit(id, text) }
func (f *fakeSide) touch(id string)                      { f.s.Touch(id) }
func (f *fakeSide) remove(id string)                     { f.s.Delete(id) }
func (f *fakeSide) revoke()                              { f.s.Revoke() }

func (f *fakeSide) post(from channeltest.Sender, at spot, text string, files []channeltest.Attachment) string {
	l := fake.Line{Channel: at.channel, Root: at.root, From: f.people[from], Text: text}
	for _, one := range files {
		mime := map[string]string{".mp3": "audio/mpeg", ".png": "image/png", ".pdf": "application/pdf"}[one.Name[len(one.Name)-4:]]
		l.Files = append(l.Files, fake.File{Name: one.Name, MIME: mime, Data: one.Data})
	}
	if from == channeltest.Robot {
		l.Props = map[string]any{"from_bot": "true"}
	}
	return f.s.Post(l)
}

func (f *fakeSide) command(from channeltest.Sender, at spot, name, text, url string, token func(string)) {
	known := false
	for _, c := range f.s.Commands(f.team) {
		known = known || c.Trigger == name
	}
	if !known {
		token(f.s.AddCommand(f.team, name, url).Token)
	}
	if ran := f.s.Run(f.team, at.channel, at.root, f.people[from], "/"+name+" "+text); ran.Status != 200 {
		f.t.Errorf("/%s: %+v", name, ran)
	}
}

func (f *fakeSide) react(id string, show bool) {
	if show {
		f.s.React(f.people[channeltest.Ada], id, "+1")
	} else {
		f.s.Unreact(f.people[channeltest.Ada], id, "+1")
	}
}

func (f *fakeSide) press(id, action string) {
	if got := f.s.Press(f.people[channeltest.Ada], id, action); got.Status != 200 {
		f.t.Errorf("press: %+v", got)
	}
}

func (f *fakeSide) ours(channel string) []shown {
	var all []shown
	for _, p := range f.s.Sent(channel) {
		if p.Deleted {
			continue
		}
		one := shown{id: p.ID, root: p.Root, text: p.Text}
		for _, b := range p.Buttons {
			one.actions = append(one.actions, button{b.ID, b.Name})
		}
		for _, file := range p.Files {
			one.files = append(one.files, channeltest.Attachment{Name: file.Name, Data: file.Data})
		}
		all = append(all, one)
	}
	return all
}

func (f *fakeSide) close(at spot, c channeltest.Closure) {
	switch c {
	case channeltest.Blocked, channeltest.Silenced:
		f.s.MuteChannel(at.channel, true)
	case channeltest.Removed:
		bot, _, _ := f.bot()
		f.s.Kick(at.channel, bot, f.people[channeltest.Ben])
	default:
		panic(fmt.Sprint("unknown closure ", c))
	}
}

func TestChannelKeepsTheContract(t *testing.T) {
	channeltest.Run(t, channeltest.Harness{
		New: func(t *testing.T) channeltest.Network {
			f := newFake(t, fake.Options{})
			t.Cleanup(func() {
				for _, v := range f.s.Violations() {
					t.Errorf("a request is not what the interface describes: %s", v)
				}
			})
			return newNetwork(t, f)
		},
		Lacks: lacks(),
	})
}
