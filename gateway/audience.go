package gateway

import "outheis/channels"

// placesOf returns the names of the place in which a reply to a request is read,
// as a configuration writes them: "telegram/main/-1001234" for a chat of an
// account, with all its threads, and "discord/main/space:5678" for the guild or
// team that it belongs to. A chat of two belongs to none. An agent compares them
// and knows nothing else of the network.
func placesOf(p *Payload) []string {
	account := accountOf(p.Address).String() + "/"
	places := []string{account + p.Address.Chat()}
	if p.Space != "" && p.Audience != channels.Direct {
		places = append(places, account+"space:"+p.Space)
	}
	return places
}
