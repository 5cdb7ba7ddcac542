package telegram

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"outheis/formatting"
)

// Limits of an inline keyboard. Telegram takes 100 buttons, 8 in a row, and 64
// bytes of data with each (core.telegram.org/bots/api#inlinekeyboardbutton);
// phones cut what does not fit into a row.
const (
	maxButtons     = 24
	maxButtonData  = 64
	maxButtonLabel = 64
	rowButtons     = 4
	rowRunes       = 32
)

// inlineButton is a button as the Bot API takes it.
type inlineButton struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// keyboard lays buttons out in rows, or returns "" for none. A button whose ID
// Telegram would not carry is an error: it would be refused with the whole
// message.
func keyboard(buttons []formatting.Button) (string, error) {
	if len(buttons) == 0 {
		return "", nil
	}
	var rows [][]inlineButton
	width := 0
	for _, b := range buttons[:min(len(buttons), maxButtons)] {
		if b.ID == "" || len(b.ID) > maxButtonData {
			return "", fmt.Errorf("telegram: a button's id has %d bytes, want 1 to %d", len(b.ID), maxButtonData)
		}
		label := []rune(b.Label)
		if len(label) == 0 {
			return "", fmt.Errorf("telegram: button %q has no label", b.ID)
		}
		if len(label) > maxButtonLabel {
			label = append(label[:maxButtonLabel-1], '…')
		}
		one := inlineButton{Text: string(label), Data: b.ID}
		n := utf8.RuneCountInString(one.Text)
		if last := len(rows) - 1; last >= 0 && len(rows[last]) < rowButtons && width+n <= rowRunes {
			rows[last] = append(rows[last], one)
			width += n
			continue
		}
		rows, width = append(rows, []inlineButton{one}), n
	}
	markup, err := json.Marshal(map[string]any{"inline_keyboard": rows})
	if err != nil {
		return "", fmt.Errorf("telegram: buttons: %w", err)
	}
	return string(markup), nil
}
