package config

import (
	"gopkg.in/yaml.v3"
)

// reshape brings the older shapes of the file into the canonical one
// (spec/outheis.md §10.1): flat keys, "user" for "human", agents.instances and
// agents.models, "system" for "updates", a "signal" at the top, and nicknames
// for the roles of agents. Problems keep the paths that the user wrote.
func (w *walk) reshape(root *yaml.Node) {
	for _, key := range []string{"name", "email", "phone", "language", "timezone", "vault", "holidays"} {
		w.move(root, "", key, root, []string{"human"}, key)
	}
	w.merge(root, "user", "", root, []string{"human"})
	w.merge(root, "signal", "", root, []string{"channels", "signal"})
	if system := child(root, "system"); system != nil {
		w.move(system, "system", "migrate_schedule", root, []string{"updates"}, "schedule")
		w.merge(root, "system", "", root, []string{"updates"})
	}
	if agents := child(root, "agents"); agents != nil && agents.Kind == yaml.MappingNode {
		w.reshapeAgents(root, agents)
	}
}

func (w *walk) reshapeAgents(root, agents *yaml.Node) {
	if instances := child(agents, "instances"); instances != nil {
		drop(agents, "instances")
		switch instances.Kind {
		case yaml.MappingNode:
			w.spread(instances, "agents.instances", root, []string{"agents"})
		case yaml.SequenceNode:
			w.listedAgents(root, instances)
		default:
			w.fail(instances, "agents.instances", wantObject, excerpt(instances))
		}
	}
	if models := child(agents, "models"); models != nil && models.Kind == yaml.MappingNode {
		drop(agents, "models")
		for k, v := range pairs(models) {
			at := join("agents.models", k.Value)
			if v.Kind == yaml.ScalarNode {
				w.lay(k, v, at, root, []string{"agents", k.Value}, "model")
			} else {
				w.lay(k, v, at, root, []string{"llm", "models"}, k.Value)
			}
		}
	}
	nicknames := map[string]string{
		"ou": "relay", "zeno": "data", "cato": "agenda", "hiro": "action", "rumi": "pattern", "alan": "code",
	}
	for _, nickname := range sortedKeys(nicknames) {
		w.merge(agents, nickname, "agents", root, []string{"agents", nicknames[nickname]})
	}
}

// listedAgents takes agents from a list in which each names its role.
func (w *walk) listedAgents(root, list *yaml.Node) {
	for i, item := range list.Content {
		at := index("agents.instances", i)
		role := child(item, "role")
		if item.Kind != yaml.MappingNode {
			w.fail(item, at, wantObject, excerpt(item))
			continue
		}
		if role == nil || role.Kind != yaml.ScalarNode {
			w.fail(item, join(at, "role"), missingKey, "role")
			continue
		}
		drop(item, "role")
		w.spread(item, at, root, []string{"agents", role.Value})
	}
}

// move takes a key out of a mapping that lies at a path and lays its value
// under another key.
func (w *walk) move(from *yaml.Node, at, key string, root *yaml.Node, to []string, as string) {
	if from.Kind != yaml.MappingNode {
		return
	}
	for k, v := range pairs(from) {
		if k.Value == key {
			drop(from, key)
			w.lay(k, v, join(at, key), root, to, as)
			return
		}
	}
}

// merge takes a mapping out of another and lays its content elsewhere.
func (w *walk) merge(from *yaml.Node, key, at string, root *yaml.Node, to []string) {
	m := child(from, key)
	if m == nil || isNull(m) {
		return
	}
	at = join(at, key)
	if m.Kind != yaml.MappingNode {
		w.fail(m, at, wantObject, excerpt(m))
		drop(from, key)
		return
	}
	drop(from, key)
	w.spread(m, at, root, to)
}

// spread lays the content of a mapping elsewhere, where parts of it may lie
// already.
func (w *walk) spread(m *yaml.Node, at string, root *yaml.Node, to []string) {
	for k, v := range pairs(m) {
		w.lay(k, v, join(at, k.Value), root, to, k.Value)
	}
}

// lay puts a value at a place of the canonical shape and remembers where it
// was written. Mappings that meet are merged; anything else that is there
// already makes the file say the same thing twice.
func (w *walk) lay(k, v *yaml.Node, at string, root *yaml.Node, to []string, as string) {
	if _, moved := w.written[v]; !moved {
		w.written[v] = at
	}
	m := root
	for _, key := range to {
		next := child(m, key)
		if next == nil || isNull(next) {
			drop(m, key)
			next = newMapping()
			next.Line, next.Column = k.Line, k.Column
			m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: k.Line, Column: k.Column}, next)
		}
		if next.Kind != yaml.MappingNode {
			return // reported where it is read
		}
		m = next
	}
	there := child(m, as)
	switch {
	case there == nil || isNull(there):
		drop(m, as)
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: as, Line: k.Line, Column: k.Column}, v)
	case isNull(v):
	case there.Kind == yaml.MappingNode && v.Kind == yaml.MappingNode:
		w.spread(v, at, root, append(to[:len(to):len(to)], as))
	default:
		other, ok := w.written[there]
		if !ok {
			other = pathOf(to, as)
		}
		w.fail(k, at, saidTwice, other)
	}
}

func pathOf(to []string, as string) string {
	at := ""
	for _, key := range to {
		at = join(at, key)
	}
	return join(at, as)
}

// child returns the value of a key in a mapping, or nil.
func child(m *yaml.Node, key string) *yaml.Node {
	if m.Kind != yaml.MappingNode {
		return nil
	}
	for k, v := range pairs(m) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

// drop takes a key out of a mapping.
func drop(m *yaml.Node, key string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content = append(m.Content[:i:i], m.Content[i+2:]...)
			return
		}
	}
}
