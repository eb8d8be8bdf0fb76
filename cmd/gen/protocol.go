package main

import (
	"path/filepath"
	"reflect"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// protocolPage describes every method, the capabilities and the error codes, behind an example that is made of the same types.
func protocolPage(root string) ([]byte, error) {
	src, err := load(filepath.Join(root, "rpc", "protocol"))
	if err != nil {
		return nil, err
	}
	w := newWriter(src)
	w.line("# The wire protocol\n\n%s", protocolIntro)
	if err := w.example(); err != nil {
		return nil, err
	}
	w.line("%s", protocolRules)
	for _, d := range []struct {
		title string
		from  protocol.Direction
	}{
		{"Requests to the server", protocol.ClientRequest},
		{"Requests to the client", protocol.ServerRequest},
		{"Notifications to the client", protocol.ServerNotification},
	} {
		w.line("## %s\n", d.title)
		w.methods(d.from)
	}
	w.cards()
	w.line("## Capabilities\n")
	w.section("###", "ClientCapabilities")
	w.section("###", "ServerCapabilities")
	w.errors()
	w.line("## Parts\n")
	w.rest("###")
	w.line("## Words\n")
	w.words("###")
	return w.bytes()
}

func (w *writer) methods(from protocol.Direction) {
	for _, m := range protocol.Methods() {
		if m.Direction != from {
			continue
		}
		w.line("### %s\n\n%s\n", m.Name, m.Doc)
		w.line("Params:\n")
		w.describe(reflect.TypeOf(m.Params).Name())
		if m.Result != nil {
			w.line("Result:\n")
			w.describe(reflect.TypeOf(m.Result).Name())
		}
	}
}

// cards describes the body of each kind of card.
func (w *writer) cards() {
	w.line("## Cards\n")
	for _, c := range cardBodies() {
		w.line("### %s\n\nThe body of a card of the kind `%s`: %s\n", c.body, c.kind, w.src.structs[c.body].doc)
		w.describe(c.body)
	}
}

// cardBody names the type of a card's body.
type cardBody struct {
	kind protocol.CardKind
	body string
}

func cardBodies() []cardBody {
	return []cardBody{
		{protocol.CardAsk, reflect.TypeFor[protocol.AskBody]().Name()},
		{protocol.CardQuestion, reflect.TypeFor[protocol.QuestionBody]().Name()},
		{protocol.CardPermission, reflect.TypeFor[protocol.PermissionBody]().Name()},
		{protocol.CardResult, reflect.TypeFor[protocol.ResultBody]().Name()},
		{protocol.CardProof, reflect.TypeFor[protocol.ProofBody]().Name()},
	}
}

// errors lists the codes; their words stand in the data.
func (w *writer) errors() {
	w.line("## Errors\n")
	w.line("Beside the codes of JSON-RPC and of the Language Server Protocol. The message is for people and says what to do; programs read the data, which every error has, also one about a message that could not be read.\n")
	w.line("| code | what it says |\n|---|---|")
	for _, c := range w.src.words["ErrorCode"] {
		w.line("| %s | %s |", c.value, c.doc)
	}
	w.line("")
	w.section("###", "ErrorDetail")
}
