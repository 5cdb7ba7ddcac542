package discord

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The types of component that the server knows.
const (
	componentRow       = 1
	componentButton    = 2
	componentSelect    = 3
	componentUsers     = 5
	componentRoles     = 6
	componentMention   = 7
	componentChannels  = 8
	componentSection   = 9
	componentText      = 10
	componentThumb     = 11
	componentGallery   = 12
	componentFile      = 13
	componentSeparator = 14
	componentContainer = 17
)

// A component is a part of a message's interface, in the fields that are
// checked.
type component struct {
	Type       int             `json:"type"`
	CustomID   *string         `json:"custom_id"`
	Style      int             `json:"style"`
	Label      string          `json:"label"`
	URL        string          `json:"url"`
	Disabled   bool            `json:"disabled"`
	Emoji      json.RawMessage `json:"emoji"`
	Content    string          `json:"content"`
	Options    []any           `json:"options"`
	Components []component     `json:"components"`
	Accessory  *component      `json:"accessory"`
}

// checkComponents returns what is wrong with the components of a message.
func checkComponents(raw json.RawMessage, v2 bool) []fieldError {
	var list []component
	if json.Unmarshal(raw, &list) != nil {
		return []fieldError{{"components", "MODEL_TYPE_CONVERT", "Expected a list of components."}}
	}
	ck := &componentCheck{v2: v2, ids: make(map[string]bool)}
	if !v2 && len(list) > 5 {
		ck.add(badLength("components", 1, 5))
	}
	for i, c := range list {
		ck.top(fmt.Sprintf("components.%d", i), c)
	}
	if v2 && ck.count > maxComponents {
		ck.add(fieldError{"components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", fmt.Sprintf("The total number of components is over %d.", maxComponents)})
	}
	if v2 && ck.text > 4000 {
		ck.add(fieldError{"components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "The total displayable text size exceeds the maximum size of 4000."})
	}
	return ck.wrong
}

type componentCheck struct {
	v2    bool
	ids   map[string]bool
	count int
	text  int // code points
	wrong []fieldError
}

func (ck *componentCheck) add(e fieldError) { ck.wrong = append(ck.wrong, e) }

func (ck *componentCheck) kind(path string) {
	ck.add(fieldError{path + ".type", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of the types that may stand here."})
}

// top checks a component that stands by itself.
func (ck *componentCheck) top(path string, c component) {
	ck.count++
	switch {
	case c.Type == componentRow:
		ck.row(path, c)
	case !ck.v2:
		ck.kind(path)
	case c.Type == componentText:
		ck.display(path, c)
	case c.Type == componentSection:
		if len(c.Components) < 1 || len(c.Components) > 3 {
			ck.add(badLength(path+".components", 1, 3))
		}
		for i, inner := range c.Components {
			ck.count++
			if inner.Type != componentText {
				ck.kind(fmt.Sprintf("%s.components.%d", path, i))
				continue
			}
			ck.display(fmt.Sprintf("%s.components.%d", path, i), inner)
		}
		switch {
		case c.Accessory == nil:
			ck.add(required(path + ".accessory"))
		case c.Accessory.Type == componentButton:
			ck.count++
			ck.button(path+".accessory", *c.Accessory)
		case c.Accessory.Type != componentThumb:
			ck.kind(path + ".accessory")
		default:
			ck.count++
		}
	case c.Type == componentContainer:
		for i, inner := range c.Components {
			if inner.Type == componentContainer {
				ck.kind(fmt.Sprintf("%s.components.%d", path, i))
				continue
			}
			ck.top(fmt.Sprintf("%s.components.%d", path, i), inner)
		}
	case c.Type == componentGallery, c.Type == componentFile, c.Type == componentSeparator:
	default:
		ck.kind(path)
	}
}

func (ck *componentCheck) display(path string, c component) {
	n := utf8.RuneCountInString(c.Content)
	ck.text += n
	if n < 1 || n > 4000 {
		ck.add(badLength(path+".content", 1, 4000))
	}
}

// row checks an action row: five buttons or one select.
func (ck *componentCheck) row(path string, c component) {
	if len(c.Components) < 1 || len(c.Components) > 5 {
		ck.add(badLength(path+".components", 1, 5))
	}
	selects := 0
	for i, inner := range c.Components {
		ck.count++
		at := fmt.Sprintf("%s.components.%d", path, i)
		switch inner.Type {
		case componentButton:
			ck.button(at, inner)
		case componentSelect, componentUsers, componentRoles, componentMention, componentChannels:
			selects++
			ck.customID(at, inner)
			if inner.Type == componentSelect && (len(inner.Options) < 1 || len(inner.Options) > 25) {
				ck.add(badLength(at+".options", 1, 25))
			}
		default:
			ck.kind(at)
		}
	}
	if selects > 0 && len(c.Components) > 1 {
		ck.add(fieldError{path + ".components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The layout width of this action row is exceeded."})
	}
}

func (ck *componentCheck) button(path string, c component) {
	if utf8.RuneCountInString(c.Label) > 80 {
		ck.add(tooLong(path+".label", 80))
	}
	switch {
	case c.Style < 1 || c.Style > 6:
		ck.add(fieldError{path + ".style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}."})
	case c.Style == 5:
		if c.URL == "" || c.CustomID != nil {
			ck.add(fieldError{path, "BUTTON_COMPONENT_URL_REQUIRED", "A url is required, and a custom id is forbidden, for a link button."})
		}
		if utf8.RuneCountInString(c.URL) > 512 {
			ck.add(tooLong(path+".url", 512))
		}
	case c.Style < 5:
		if c.URL != "" {
			ck.add(fieldError{path, "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED", "A custom id is required, and a url is forbidden, for this button."})
		}
		ck.customID(path, c)
	}
	if c.Label == "" && len(c.Emoji) == 0 && c.Style < 6 {
		ck.add(fieldError{path, "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji."})
	}
}

func (ck *componentCheck) customID(path string, c component) {
	if c.CustomID == nil {
		ck.add(required(path + ".custom_id"))
		return
	}
	id := *c.CustomID
	if n := utf8.RuneCountInString(id); n < 1 || n > 100 {
		ck.add(badLength(path+".custom_id", 1, 100))
	}
	if ck.ids[id] {
		ck.add(fieldError{path + ".custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"})
	}
	ck.ids[id] = true
}

// withIDs numbers the components, as the server does before it shows them.
func withIDs(raw json.RawMessage) json.RawMessage {
	var list []any
	if json.Unmarshal(raw, &list) != nil {
		return json.RawMessage("[]")
	}
	next := 0
	var number func(any)
	number = func(v any) {
		c, ok := v.(map[string]any)
		if !ok {
			return
		}
		next++
		if id, ok := c["id"].(float64); !ok || id == 0 {
			c["id"] = next
		}
		if inner, ok := c["components"].([]any); ok {
			for _, i := range inner {
				number(i)
			}
		}
		if a, ok := c["accessory"]; ok {
			number(a)
		}
	}
	for _, v := range list {
		number(v)
	}
	if list == nil {
		list = []any{}
	}
	return mustJSON(list)
}

// A Button is a button under a message of the bot.
type Button struct {
	ID       string // custom_id; empty for a link
	Label    string
	URL      string
	Style    int
	Disabled bool
	Row      int
}

// buttons lists the buttons of a message, and the text of its components.
func buttons(raw json.RawMessage) ([]Button, []string) {
	var list []component
	if json.Unmarshal(raw, &list) != nil {
		return nil, nil
	}
	var found []Button
	var texts []string
	row := -1
	var walk func(component)
	walk = func(c component) {
		switch c.Type {
		case componentRow:
			row++
		case componentText:
			texts = append(texts, c.Content)
		case componentButton:
			b := Button{Label: c.Label, URL: c.URL, Style: c.Style, Disabled: c.Disabled, Row: max(row, 0)}
			if c.CustomID != nil {
				b.ID = *c.CustomID
			}
			found = append(found, b)
		}
		for _, inner := range c.Components {
			walk(inner)
		}
		if c.Accessory != nil {
			walk(*c.Accessory)
		}
	}
	for _, c := range list {
		walk(c)
	}
	return found, texts
}
