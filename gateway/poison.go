package gateway

import (
	"context"
	"time"
)

// A request that is answered, or sent, while the process dies again and again
// may be why (spec/reliability.md §1.5 R7). An answer that was being sent is
// given up later than a question that was being answered: it may just as well
// have been there when somebody else ended the process, and between two tries
// others are served.
const (
	poisonAt = 3           // deaths in a row after which a question is not answered again
	restTime = time.Minute // before a part is sent again at which it died so often
	parkAt   = 5           // deaths in a row after which a part is not sent again
)

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
