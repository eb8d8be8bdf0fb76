package agent

import (
	"context"
	"fmt"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestASilentModelIsNoCancellation: a request that took too long failed, with the reason; nobody cancelled it.
func TestASilentModelIsNoCancellation(t *testing.T) {
	why := fmt.Errorf("%w within 20s", errSilent)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 0, why)
	defer cancel()
	<-ctx.Done()
	var resp event.LLMResp
	markBroken(ctx, &resp, context.Cause(ctx))
	if resp.Stop != "error" || resp.Error != why.Error() {
		t.Errorf("got %q %q, want an error %q", resp.Stop, resp.Error, why)
	}
}
