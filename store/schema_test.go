package store_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"outheis/store"
)

func TestUpgradeSteps(t *testing.T) {
	for _, tt := range []struct {
		name, family, in, want string
		from                   int
	}{
		{
			"message 0, sender a string", store.FamilyMessages,
			`{"id":"1","from":"zeno","x":{"b":1,"a":2}}`,
			`{"v":2,"id":"1","from":{"agent":"zeno"},"x":{"b":1,"a":2},"priority":"normal"}`, 0,
		},
		{
			"message 0, sender an object", store.FamilyMessages,
			`{"from":{"user":{"channel":"signal"}}}`,
			`{"v":2,"from":{"user":{"channel":"signal"}},"priority":"normal"}`, 0,
		},
		{
			"message 0 with its version", store.FamilyMessages,
			`{"from":"data","v":0}`, `{"from":{"agent":"data"},"v":2,"priority":"normal"}`, 0,
		},
		{
			"message 1", store.FamilyMessages,
			`{ "id": "1" , "from": {"agent":"data"}, "v": 1 }`,
			`{"id":"1","from":{"agent":"data"},"v":2,"priority":"normal"}`, 1,
		},
		{
			"message 1 with a priority", store.FamilyMessages,
			`{"v":1,"priority":"high"}`, `{"v":2,"priority":"high"}`, 1,
		},
		{
			"message 1 with a null priority", store.FamilyMessages,
			`{"v":1,"priority":null}`, `{"v":2,"priority":"normal"}`, 1,
		},
		{
			"numbers, escapes and umlauts keep their bytes", store.FamilyMessages,
			`{"v":1,"n":1.50e3,"big":12345678901234567890,"s":"\u00e4<&>ä","ö":"x"}`,
			`{"v":2,"n":1.50e3,"big":12345678901234567890,"s":"\u00e4<&>ä","ö":"x","priority":"normal"}`, 1,
		},
		{"message 2", store.FamilyMessages, `{"v":2,"id":"1"}`, `{"v":2,"id":"1"}`, 2},
		{"message 2, version last", store.FamilyMessages, `{"id":"1","v":2}`, `{"id":"1","v":2}`, 2},
		{"insight 0", store.FamilyInsights, `{"id":"ins_1"}`, `{"v":1,"id":"ins_1"}`, 0},
		{"insight 1", store.FamilyInsights, `{"v":1}`, `{"v":1}`, 1},
		{"session note 0", store.FamilySessionNotes, `{}`, `{"v":1}`, 0},
		{"tag weight 1", store.FamilyTagWeights, `{"v":1,"tag":"x"}`, `{"v":1,"tag":"x"}`, 1},
		{"index 1", store.FamilyIndex, `{"v":1}`, `{"v":1}`, 1},
		{"the later of two versions counts", store.FamilyInsights, `{"v":7,"v":1}`, `{"v":7,"v":1}`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			got, from, err := store.Upgrade(tt.family, in)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want || from != tt.from {
				t.Errorf("got version %d\n%s, want %d\n%s", from, got, tt.from, tt.want)
			}
			if string(in) != tt.in {
				t.Errorf("the input became %s", in)
			}
			again, _, err := store.Upgrade(tt.family, got)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time: %s, %v", again, err)
			}
		})
	}
}

func TestUpgradeRefusesNewer(t *testing.T) {
	for family, current := range map[string]int{
		store.FamilyMessages: store.MessagesVersion, store.FamilyInsights: store.InsightsVersion,
		store.FamilySessionNotes: store.SessionNotesVersion, store.FamilyTagWeights: store.TagWeightsVersion,
		store.FamilyIndex: store.IndexVersion,
	} {
		_, from, err := store.Upgrade(family, []byte(`{"v":37}`))
		var ne *store.NewerError
		if !errors.As(err, &ne) {
			t.Errorf("%s: got %v, want a NewerError", family, err)
			continue
		}
		if *ne != (store.NewerError{Family: family, Found: 37, Supported: current}) || from != 37 {
			t.Errorf("%s: got %+v, version %d", family, *ne, from)
		}
	}
}

func TestUpgradeRefusesWhatIsNoRecord(t *testing.T) {
	for _, in := range []string{
		"", "null", "[]", `"x"`, "7", "{", `{"v":1`, `{"v":1}}`, `{"v":1} {}`, `{"v":1}x`, "\xff",
		`{"v":"1"}`, `{"v":1.5}`, `{"v":-1}`, `{"v":null}`, `{"v":99999999999999999999}`, `{"v":0,"from":}`,
		strings.Repeat(`{"a":`, 20_000),
	} {
		if out, _, err := store.Upgrade(store.FamilyMessages, []byte(in)); err == nil {
			t.Errorf("%.40q became %s", in, out)
		}
	}
	if _, _, err := store.Upgrade("dreams", []byte(`{}`)); err == nil {
		t.Error("an unknown family has no error")
	}
}

// Whatever goes in: no panic, and what comes out is of the current version and
// has every member that went in.
func FuzzUpgrade(f *testing.F) {
	f.Add(`{"from":"zeno","a":[1,{"b":"\u2028"}]}`)
	f.Add(`{"v":1,"v":0,"from":"x"}`)
	f.Add("{\"\xff\":1}")
	f.Fuzz(func(t *testing.T, in string) {
		out, from, err := store.Upgrade(store.FamilyMessages, []byte(in))
		if err != nil {
			return
		}
		if from == store.MessagesVersion {
			if string(out) != in {
				t.Fatalf("a current record was changed to %q", out)
			}
			return
		}
		var before, after map[string]any
		if json.Unmarshal([]byte(in), &before) != nil || json.Unmarshal(out, &after) != nil {
			t.Fatalf("%q became %q", in, out)
		}
		if after["v"] != float64(store.MessagesVersion) {
			t.Errorf("version %v", after["v"])
		}
		for key, value := range before {
			if key != "v" && key != "from" && key != "priority" && !reflect.DeepEqual(after[key], value) {
				t.Errorf("%q: %v became %v", key, value, after[key])
			}
		}
	})
}

func BenchmarkUpgradeCurrent(b *testing.B) {
	line := []byte(`{"v":2,"seq":184467,"id":"0440764559995719680","payload":{"text":"Wann ist die Sitzung?"}}`)
	for b.Loop() {
		if _, _, err := store.Upgrade(store.FamilyMessages, line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpgradeOld(b *testing.B) {
	line := []byte(`{"v":1,"id":"0440764559995719680","from":{"agent":"data"},"payload":{"text":"Wann ist die Sitzung?"}}`)
	for b.Loop() {
		if _, _, err := store.Upgrade(store.FamilyMessages, line); err != nil {
			b.Fatal(err)
		}
	}
}
