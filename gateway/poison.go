package gateway

import "context"

// poisonAt is how often in a row the process may die while one request is
// answered, or one part of it sent (spec/reliability.md §1.5 R7).
const poisonAt = 3

// watch looks after a question that was open when the process died. That it is
// answered again is written down first, so that it is known, should the process
// die once more, what it was doing; from the second time on such questions are
// answered one by one. Poison is one that was being answered three times: it is
// not answered again. Release ends the watch.
func (g *Gateway) watch(ctx context.Context, it *item) (poison bool, release func(), err error) {
	release = func() {}
	if it.crashes == 0 {
		return false, release, nil
	}
	tries := 0
	for ; ; tries++ {
		_, ok, err := g.queue.Lookup(answerCause(it.req.ID, tries+1))
		if err != nil {
			return false, release, err
		}
		if !ok {
			break
		}
	}
	if it.crashes >= poisonAt && tries+1 >= poisonAt { // the first time was not written down
		return true, release, nil
	}
	if it.crashes > 1 {
		select {
		case g.alone <- struct{}{}:
			release = func() { <-g.alone }
		case <-g.stopping:
			return false, release, ErrStopping
		case <-ctx.Done():
			return false, release, ctx.Err()
		}
	}
	try := it.req.event(eventAnswer, answerCause(it.req.ID, tries+1))
	try.Payload.Try = tries + 1
	if err := g.write(ctx, try); err != nil {
		release()
		return false, func() {}, err
	}
	return false, release, nil
}
