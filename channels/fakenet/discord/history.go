package discord

import "slices"

func (s *Server) getMessage(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.seenMessage(c)
	if err != nil {
		return nil, err
	}
	if !ch.isDirect() && !s.may(s.bot.ID, ch, ReadMessageHistory) {
		return nil, forbidden(50001, "Missing Access")
	}
	return s.view(m), nil
}

// getMessages lists messages, newest first.
func (s *Server) getMessages(c *call) (any, error) {
	limit, err := c.number("limit", 50)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > 100 {
		return nil, invalidForm(fieldError{"limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100."})
	}
	q := c.r.URL.Query()
	for _, name := range []string{"before", "after", "around"} {
		if v := q.Get(name); v != "" && snowflake(v) == 0 && v != "0" {
			return nil, invalidForm(notSnowflake(name, v))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	list := []Message{}
	if !ch.isDirect() && !s.may(s.bot.ID, ch, ReadMessageHistory) {
		return list, nil
	}
	var ids []string
	for _, id := range ch.order {
		if ch.messages[id].only == "" {
			ids = append(ids, id)
		}
	}
	for _, id := range window(ids, q.Get("after"), q.Get("before"), q.Get("around"), limit) {
		list = append(list, s.view(ch.messages[id]))
	}
	return list, nil
}

// window picks ids as the API does: with after the oldest that follow, else the
// newest; the result is newest first.
func window(ids []string, after, before, around string, limit int) []string {
	var picked []string
	switch {
	case around != "":
		i, _ := slices.BinarySearchFunc(ids, around, func(a, b string) int { return int(min(max(snowflake(a)-snowflake(b), -1), 1)) })
		picked = ids[max(0, i-limit/2):min(len(ids), i+(limit+1)/2)]
	case after != "":
		for _, id := range ids {
			if snowflake(id) > snowflake(after) && len(picked) < limit {
				picked = append(picked, id)
			}
		}
	default:
		for _, id := range ids {
			if before == "" || snowflake(id) < snowflake(before) {
				picked = append(picked, id)
			}
		}
		picked = picked[max(0, len(picked)-limit):]
	}
	picked = slices.Clone(picked)
	slices.Reverse(picked)
	return picked
}
