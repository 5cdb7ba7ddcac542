package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"outheis/channels"
	"outheis/store"
)

// RosterFile is the document below the human directory that Options.Roster is
// made of.
const RosterFile = "access.json"

// rosterVersion is the form of [roster.doc]. A later one is not read, so that
// nothing of it is lost.
const rosterVersion = 1

// An identity is somebody at one of our accounts, by the network's immutable id.
type identity struct {
	Channel string `json:"channel"`
	Account string `json:"account"`
	Person  string `json:"person"`
}

func identityOf(e channels.Event) identity {
	return identity{e.Address.Channel(), e.Address.Account(), e.Actor.ID}
}

func (i identity) account() AccountID { return AccountID{i.Channel, i.Account} }

func (i identity) compare(j identity) int {
	return cmp.Or(cmp.Compare(i.Channel, j.Channel), cmp.Compare(i.Account, j.Account), cmp.Compare(i.Person, j.Person))
}

// records are what people have got by codes, beside what the configuration says
// of them: who was let in, and which accounts are one person's.
type records struct {
	V      int      `json:"v"`
	Paired []Paired `json:"paired"`
	Linked []link   `json:"linked"`
	// Codes are those that wait to be entered.
	Codes []code `json:"codes,omitempty"`
	// From and Until are the window in which strangers get codes.
	From  time.Time `json:"pairing_from,omitzero"`
	Until time.Time `json:"pairing_until,omitzero"`
	// Misses are those of the command line.
	Misses misses `json:"misses,omitzero"`
}

// Paired is somebody who was let in by a code.
type Paired struct {
	Channel string    `json:"channel"`
	Account string    `json:"account"`
	Person  string    `json:"person"`         // the network's immutable id
	Name    string    `json:"name,omitempty"` // as it was then; for display only
	Since   time.Time `json:"since"`
	By      string    `json:"by"` // who confirmed it
}

func (p Paired) identity() identity { return identity{p.Channel, p.Account, p.Person} }

// A code waits to be entered. What it is good for follows from Link: to join the
// accounts of somebody who may ask, or else to let somebody in.
type code struct {
	identity
	Code  string           `json:"code"`
	Link  bool             `json:"link,omitempty"`
	Name  string           `json:"name,omitempty"`
	Lang  string           `json:"lang,omitempty"`
	Cause string           `json:"cause"` // of the event that asked for it
	To    channels.Address `json:"to"`
	At    time.Time        `json:"at"`
	// Again says that the person had another code less than a day before.
	Again bool `json:"again,omitempty"`
}

func (c code) until() time.Time { return c.At.Add(codeLife) }

// roster keeps records in a document that people may read and edit. It may be
// used by many goroutines.
type roster struct {
	doc *store.Doc // nil: in memory only
	now func() time.Time

	mu      sync.Mutex // held while the records are changed
	current atomic.Pointer[view]
	damaged atomic.Pointer[DocumentError] // why the document cannot be used; nil when it can
}

// A view is the records at one time, for looking up.
type view struct {
	records
	paired map[identity]bool
	linked map[identity]string // the name that one person's accounts have in common
}

// load reads the records. When they cannot be used there are none, so that nobody
// is let in by what cannot be read (spec/reliability.md T5).
func (r *roster) load() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.doc == nil {
		if r.current.Load() == nil {
			r.show(records{})
		}
		return
	}
	var all records
	r.damaged.Store(readDoc(r.doc, RosterFile, readRecords, &all))
	r.show(all)
}

// readRecords reads the document. Nothing is the same as no records.
func readRecords(b []byte) (records, *DocumentError) {
	var all records
	if len(bytes.TrimSpace(b)) == 0 {
		return all, nil
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return records{}, damage(RosterFile, b, err)
	}
	if all.V != rosterVersion {
		return records{}, foreign(RosterFile, all.V, rosterVersion)
	}
	for _, c := range all.Codes {
		if _, ok := readCode(c.Code); !ok {
			return records{}, damage(RosterFile, b, errors.New("a code that is none"))
		}
	}
	all.tidy()
	return all, nil
}

// tidy takes out of the links what people who edit the document can leave there:
// accounts that are named twice, links of one account, and a common name that is
// somebody else's.
func (r *records) tidy() {
	seen := make(map[identity]bool)
	for i := range r.Linked {
		l := &r.Linked[i]
		l.Accounts = slices.DeleteFunc(l.Accounts, func(who identity) bool {
			twice := seen[who]
			seen[who] = true
			return twice
		})
		if len(l.Accounts) > 0 && !slices.ContainsFunc(l.Accounts, func(who identity) bool { return who.own() == l.As }) {
			l.As = l.Accounts[0].own()
		}
	}
	r.Linked = slices.DeleteFunc(r.Linked, func(l link) bool { return len(l.Accounts) < 2 })
}

// show puts records in force. The caller holds mu.
func (r *roster) show(all records) {
	v := &view{records: all, paired: make(map[identity]bool), linked: make(map[identity]string)}
	for _, p := range all.Paired {
		if p.Person != "" && p.Person != Everybody { // an id, whoever wrote the file
			v.paired[p.identity()] = true
		}
	}
	for _, l := range all.Linked {
		for _, i := range l.Accounts {
			v.linked[i] = l.As
		}
	}
	r.current.Store(v)
}

// view returns the records in force. Nobody may change them.
func (r *roster) view() *view { return r.current.Load() }

// edit changes the records; what it returns is in force and on disk. The change
// gets records of its own without the codes that are over, and may be called
// more than once. When it reports that there is nothing to change, nothing is
// written.
func (r *roster) edit(change func(*records) (changed bool)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var after records
	apply := func(all records) bool {
		now := r.now()
		all.Codes = slices.DeleteFunc(slices.Clone(all.Codes), func(c code) bool { return !now.Before(c.until()) || now.Add(clockOff).Before(c.At) })
		all.Paired, all.Linked = slices.Clone(all.Paired), slices.Clone(all.Linked)
		all.V = rosterVersion
		changed := change(&all)
		after = all
		return changed
	}
	if r.doc == nil {
		if apply(r.view().records) {
			r.show(after)
		}
		return nil
	}
	err := r.doc.Edit(func(old []byte) ([]byte, error) {
		all, bad := readRecords(old)
		if bad != nil {
			return nil, bad
		}
		if !apply(all) {
			after = all
			return old, nil
		}
		slices.SortFunc(after.Paired, func(a, b Paired) int { return a.identity().compare(b.identity()) })
		b, err := json.MarshalIndent(after, "", "  ")
		return append(b, '\n'), err
	})
	if err != nil {
		var bad *DocumentError
		if errors.As(err, &bad) {
			r.damaged.Store(bad)
		}
		return fmt.Errorf("gateway: %w", err)
	}
	r.damaged.Store(nil)
	r.show(after)
	return nil
}
