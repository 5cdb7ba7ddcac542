//go:build never

// NOTE FROM THE COORDINATOR to the author of this package (delete this file when done, do not keep it in a commit):
//
// The owner NAMED mattermost/server/public as the client of this adapter; own wire types instead of it are not accepted.
// Your objection (licence) is right for v0.1.21: model links server/v8/channels/app/password. It is NOT true for v0.1.16,
// which resolves, is Apache-2.0 throughout and links nothing of server/v8: go.mod is pinned to it now (say why in the
// package comment in one sentence). Measured: a binary with model.NewAPIv4Client is 18.9 MB, RSS 14 MB, 11 ms.
// So: please replace wire.go's own types by model.Post, model.Channel, model.WebSocketEvent, model.Reaction, model.Config
// client fields …, and client.go's requests by model.Client4 with YOUR http.Client/transport (no redirects, time limits,
// body bounds, typed errors from *model.AppError and the Response status) wherever its behaviour permits; keep your own
// websocket loop (own ping deadline, gap detection) but decode with model.WebSocketEventFromJSON and send with
// model.WebSocketRequest. Where Client4 cannot do it (say why in a comment), a request of your own is fine.
// Keep everything else as it is; the clauses and peer suite show that nothing broke.
package mattermost
