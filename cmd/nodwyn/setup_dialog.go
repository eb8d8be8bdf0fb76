package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/cred"
)

const (
	// listTimeout bounds the question for a server's models.
	listTimeout = 15 * time.Second
	// shownModels is how much of a long list fits a screen.
	shownModels = 30
)

// dialog is set-up with a person on a terminal.
type dialog struct {
	*installation
	screen   screen
	discover discoverer
}

func newDialog(s *installation, d discoverer) *dialog {
	// The caller has seen that stdin is a terminal, which only a file can be.
	return &dialog{installation: s, screen: newScreen(s.c.in.(*os.File), s.c.out), discover: d}
}

// run asks until there is a choice that works, and writes it. Nothing is changed before the last question.
func (d *dialog) run(ctx context.Context) error {
	ch, err := d.server(ctx)
	if err != nil {
		return err
	}
	for again := true; again; {
		if ch, err = d.model(ctx, ch); err != nil {
			return err
		}
		if ch, again, err = d.prove(ctx, ch); err != nil {
			return err
		}
	}
	edit, err := d.edit(ch)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.c.out, "\n%s\n", edit.shown())
	yes, err := d.screen.agree("write " + d.path + "?")
	if err != nil {
		return err
	}
	if !yes {
		return errGaveUp
	}
	return d.finish(ctx, ch, edit)
}

// offer is a server that the person can take.
type offer struct {
	title string
	choice
	// wantsKey says that no key for it is known.
	wantsKey bool
}

// server shows what was found and lets the person choose.
func (d *dialog) server(ctx context.Context) (choice, error) {
	stored, err := d.vault.store.List(ctx)
	if err != nil {
		return choice{}, err
	}
	offers := d.offers(ctx, stored)
	titles := make([]string, 0, len(offers)+1)
	for _, o := range offers {
		titles = append(titles, o.title)
	}
	fmt.Fprintln(d.c.out, "Where does the model run?")
	n, err := d.screen.choose(append(titles, "another server"))
	if err != nil {
		return choice{}, err
	}
	if n == len(offers) {
		return d.other(stored)
	}
	ch := offers[n].choice
	if offers[n].wantsKey {
		ch.section.Credential = ch.name
		ch.value, err = d.screen.hidden("key (not shown): ")
	}
	return ch, err
}

// offers puts what works at once before what still needs a key.
func (d *dialog) offers(ctx context.Context, stored []cred.Entry) []offer {
	var offers []offer
	if look, err := d.discover.ollama(ctx); err == nil {
		defer look.transport.CloseIdleConnections()
		title := fmt.Sprintf("Ollama at %s, with %s", look.server.section.URL, count(len(look.models), "model"))
		offers = append(offers, offer{title: title, choice: choice{name: look.server.name, section: look.server.section}})
	}
	for _, v := range vendors() {
		offers = append(offers, v.offer(stored))
	}
	slices.SortStableFunc(offers, func(a, b offer) int {
		if a.wantsKey == b.wantsKey {
			return 0
		}
		return map[bool]int{false: -1, true: 1}[a.wantsKey]
	})
	return offers
}

// offer takes a stored credential before a variable: an editor that was not started from a shell does not see that one.
func (v vendor) offer(stored []cred.Entry) offer {
	o := offer{title: v.title + ", with a key that you have", choice: choice{name: v.name, section: v.section()}, wantsKey: true}
	switch {
	case slices.ContainsFunc(stored, func(e cred.Entry) bool { return e.Class == v.name }):
		o.section.Credential, o.wantsKey = v.name, false
		o.title = fmt.Sprintf("%s, with the stored credential %q", v.title, v.name)
	case os.Getenv(v.variable) != "":
		o.section.KeyEnv, o.wantsKey = v.variable, false
		o.title = fmt.Sprintf("%s, with the key in %s", v.title, v.variable)
	}
	return o
}

// other asks for everything.
func (d *dialog) other(stored []cred.Entry) (choice, error) {
	fmt.Fprintln(d.c.out, "What does it speak?")
	n, err := d.screen.choose([]string{"OpenAI's Chat Completions (most servers do)", "Anthropic's Messages", "Ollama's own format"})
	if err != nil {
		return choice{}, err
	}
	api := []string{apiOpenAI, apiAnthropic, apiOllama}[n]
	address, err := d.screen.line("address, such as http://127.0.0.1:8080/v1: ")
	if err != nil {
		return choice{}, err
	}
	name, err := d.screen.line("a name for it [local]: ")
	if err != nil {
		return choice{}, err
	}
	ch := choice{name: cmp.Or(name, "local"), section: serverSection{API: api, URL: address}}
	if !serverName.MatchString(ch.name) {
		return choice{}, fmt.Errorf("the name %q: it is made of letters, digits, _ and -", ch.name)
	}
	return d.otherKey(ch, stored)
}

func (d *dialog) otherKey(ch choice, stored []cred.Entry) (choice, error) {
	keys := []string{"it wants no key", "a key that you have"}
	for _, e := range stored {
		keys = append(keys, fmt.Sprintf("the stored credential %q", e.Class))
	}
	fmt.Fprintln(d.c.out, "Which key does it want?")
	n, err := d.screen.choose(keys)
	switch {
	case err != nil || n == 0:
		return ch, err
	case n == 1:
		ch.section.Credential = classOf(ch.name)
		ch.value, err = d.screen.hidden("key (not shown): ")
		return ch, err
	}
	ch.section.Credential = stored[n-2].Class
	return ch, nil
}

// model lets the person choose from what the server has now. A model that is not listed can be typed, and so can a part of a name, to see fewer.
func (d *dialog) model(ctx context.Context, ch choice) (choice, error) {
	ids, err := d.list(ctx, ch)
	if err != nil {
		fmt.Fprintf(d.c.out, "%s does not say which models it has: %s\n", ch.section.URL, clean(d.vault.redactor, err.Error()))
	}
	show := ids
	for {
		for i, id := range show[:min(len(show), shownModels)] {
			fmt.Fprintf(d.c.out, "  %2d) %s\n", i+1, visible(id))
		}
		if more := len(show) - shownModels; more > 0 {
			fmt.Fprintf(d.c.out, "      and %d more: a part of a name shows fewer\n", more)
		}
		text, err := d.screen.line("model, by number or name" + first(show) + ": ")
		if err != nil {
			return ch, err
		}
		id, fewer := pick(ids, show, text)
		if id != "" {
			return d.sized(ctx, ch, id), nil
		}
		show = fewer
	}
}

// first says that return alone takes the first line, where there is one.
func first(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return " [1]"
}

// pick reads what was typed: the number of a line, an id, a part of some ids, or an id that nobody listed.
func pick(ids, shown []string, text string) (id string, fewer []string) {
	n, err := strconv.Atoi(text)
	switch {
	case text == "" && len(shown) > 0:
		return shown[0], nil
	case err == nil && n >= 1 && n <= len(shown):
		return shown[n-1], nil
	case text == "":
		return "", ids
	case slices.Contains(ids, text):
		return text, nil
	}
	for _, id := range ids {
		if strings.Contains(strings.ToLower(id), strings.ToLower(text)) {
			fewer = append(fewer, id)
		}
	}
	if len(fewer) == 0 {
		return text, nil
	}
	return "", fewer
}

// list leaves out what an Ollama knows to be unable to call tools.
func (d *dialog) list(ctx context.Context, ch choice) ([]string, error) {
	srv, err := d.reach(ch)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listTimeout, errors.New("no answer"))
	defer cancel()
	ids, err := srv.list(ctx, d.transport)
	if err != nil || srv.api != apiOllama {
		return ids, err
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		can, err := srv.ability(ctx, d.transport, id)
		return err == nil && !can.tools
	}), nil
}

// sized sets the model, and for an Ollama the context that it is run with.
func (d *dialog) sized(ctx context.Context, ch choice, id string) choice {
	ch.model = modelSection{Server: ch.name, Model: id}
	srv, err := d.reach(ch)
	if err != nil || srv.api != apiOllama {
		return ch
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	if can, err := srv.ability(ctx, d.transport, id); err == nil && can.context > 0 {
		ch.model.Context = can.suggested()
		fmt.Fprintf(d.c.out, "it can take a context of %d tokens and gets %d, since more takes more memory; `context` in the configuration changes that\n", can.context, ch.model.Context)
	}
	return ch
}

// prove sends the test request. When it fails the person says how to go on.
func (d *dialog) prove(ctx context.Context, ch choice) (next choice, again bool, err error) {
	failed := d.try(ctx, ch)
	if failed == nil {
		return ch, false, nil
	}
	fmt.Fprintf(d.c.out, "\nThat did not work: %v\n", failed)
	n, err := d.screen.choose([]string{"choose another model, or try again", "give another key", "set it up all the same", "stop"})
	switch {
	case err != nil:
		return ch, false, err
	case n == 1:
		ch.section.KeyEnv, ch.section.Credential = "", cmp.Or(ch.section.Credential, classOf(ch.name))
		ch.value, err = d.screen.hidden("key (not shown): ")
		return ch, true, err
	case n == 3:
		return ch, false, errGaveUp
	}
	return ch, n == 0, nil
}
