package telegram

import "encoding/json"

// Limits of an inline keyboard.
const (
	maxRow     = 8
	maxButtons = 100
	maxData    = 64 // bytes
)

// buttons reads the inline keyboard of a call; other keyboards have none.
func buttons(c *call) ([][]Button, error) {
	raw := c.params["reply_markup"]
	if raw == "" {
		return nil, nil
	}
	var markup struct {
		Rows [][]Button `json:"inline_keyboard"`
	}
	if err := json.Unmarshal([]byte(raw), &markup); err != nil {
		return nil, badRequest("can't parse reply keyboard markup JSON object")
	}
	n := 0
	var rows [][]Button
	for _, row := range markup.Rows {
		if len(row) == 0 {
			continue
		}
		for _, b := range row {
			switch {
			case b.Text == "":
				return nil, badRequest("can't parse inline keyboard button: Field \"text\" must be non-empty")
			case b.Data == "" && b.URL == "":
				return nil, badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
			case len(b.Data) > maxData:
				return nil, badRequest("BUTTON_DATA_INVALID")
			}
		}
		if n += len(row); len(row) > maxRow || n > maxButtons {
			return nil, badRequest("REPLY_MARKUP_TOO_LONG")
		}
		rows = append(rows, row)
	}
	return rows, nil
}
