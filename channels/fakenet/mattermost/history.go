package mattermost

import (
	"slices"
	"strconv"
)

// A postList is how the API lists posts: order names those that were asked for,
// posts holds them and the rest of their threads.
type postList struct {
	Order  []string        `json:"order"`
	Posts  map[string]Post `json:"posts"`
	Next   string          `json:"next_post_id"`
	Prev   string          `json:"prev_post_id"`
	HasAny *bool           `json:"has_next,omitempty"`
	First  int64           `json:"first_inaccessible_post_time"`
}

// maxSince is how many posts a list with since names at most; which ones of
// more is not defined.
const maxSince = 1000

// getPosts lists posts of a channel, newest first: a page of all, those after
// or before a post by the time of its creation, or those changed since a time.
func (s *Server) getPosts(c *call) (any, error) {
	ch, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	q := c.r.URL.Query()
	after, before, since := q.Get("after"), q.Get("before"), q.Get("since")
	switch {
	case after != "" && !validID(after):
		return nil, badBody("after")
	case before != "" && !validID(before):
		return nil, badBody("before")
	}
	if since != "" {
		at, err := strconv.ParseInt(since, 10, 64)
		if err != nil {
			return nil, badBody("since")
		}
		if at > 0 {
			return s.changedSince(ch, at), nil
		}
	}
	page, per := c.page(200)
	threads := q.Get("skipFetchThreads") != "true"
	live := s.live(ch)
	list := &postList{Posts: map[string]Post{}}
	switch {
	case after != "":
		list.Prev = after
		if known := s.posts[after]; known != nil {
			live = slices.DeleteFunc(live, func(id string) bool { return s.posts[id].CreateAt <= known.CreateAt })
		} else {
			live = nil
		}
		list.Order = pageOf(live, page, per)
		if end := (page + 1) * per; end < len(live) {
			list.Next = live[end]
		}
		slices.Reverse(list.Order)
	default:
		if before != "" {
			list.Next = before
			if known := s.posts[before]; known != nil {
				live = slices.DeleteFunc(live, func(id string) bool { return s.posts[id].CreateAt >= known.CreateAt })
			} else {
				live = nil
			}
		}
		slices.Reverse(live)
		list.Order = pageOf(live, page, per)
		if end := (page + 1) * per; end < len(live) {
			list.Prev = live[end]
		}
		if before == "" && page > 0 && page*per <= len(live) {
			list.Next = live[page*per-1]
		}
	}
	s.fillList(ch, list, threads)
	return list, nil
}

// live returns the ids of a channel's posts that are not deleted, oldest first.
func (s *Server) live(ch *channel) []string {
	var ids []string
	for _, id := range ch.order {
		if s.posts[id].DeleteAt == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func pageOf(ids []string, page, per int) []string {
	from := min(page*per, len(ids))
	return append([]string{}, ids[from:min(from+per, len(ids))]...)
}

// fillList puts the named posts into the list, and the threads they belong to.
func (s *Server) fillList(ch *channel, list *postList, threads bool) {
	roots := make(map[string]bool)
	for _, id := range list.Order {
		p := s.posts[id]
		list.Posts[id] = s.view(p)
		roots[p.ID], roots[p.RootID] = true, true
	}
	if !threads {
		return
	}
	for _, id := range s.live(ch) {
		if p := s.posts[id]; roots[p.ID] || p.RootID != "" && roots[p.RootID] {
			list.Posts[id] = s.view(p)
		}
	}
}

// changedSince lists what was created, edited, answered or deleted after a
// time. Deleted posts and former texts are there without their words.
func (s *Server) changedSince(ch *channel, at int64) *postList {
	list := &postList{Order: []string{}, Posts: map[string]Post{}}
	for _, id := range ch.order {
		p := s.posts[id]
		if p.UpdateAt <= at || len(list.Order) == maxSince {
			continue
		}
		list.Order = append(list.Order, id)
		v := s.view(p)
		if p.DeleteAt != 0 {
			v.Message, v.Metadata, v.FileIDs, v.Props = "", &metadata{}, []string{}, map[string]any{}
		}
		list.Posts[id] = v
		if root := s.posts[p.RootID]; root != nil {
			if _, ok := list.Posts[root.ID]; !ok {
				list.Posts[root.ID] = s.view(root)
			}
		}
	}
	slices.Reverse(list.Order)
	return list
}

// getThread lists a thread, its first post first.
func (s *Server) getThread(c *call) (any, error) {
	ch, p, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	root := p.RootID
	if root == "" {
		root = p.ID
	}
	no := false
	list := &postList{Order: []string{}, Posts: map[string]Post{}, HasAny: &no}
	for _, id := range s.live(ch) {
		if r := s.posts[id]; r.ID == root || r.RootID == root {
			list.Order = append(list.Order, id)
			list.Posts[id] = s.view(r)
		}
	}
	return list, nil
}
