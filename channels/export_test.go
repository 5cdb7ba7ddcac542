package channels

// Chats returns how many chats p remembers.
func (p *Pacer) Chats() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.chats)
}
