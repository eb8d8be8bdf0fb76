package event

import "github.com/go-json-experiment/json"

// entry ties a kind to the type that holds its payload.
type entry struct {
	kind   Kind
	decode func([]byte) (Payload, error)
}

// table lists every kind once, in the order of the reference page. Each line stays decodable for ever: sessionlog/event/testdata/samples.jsonl only grows.
var table = []entry{
	declare[SessionStart](),
	declare[SessionResume](),
	declare[SessionEnd](),
	declare[SessionMode](),
	declare[SessionTitle](),
	declare[SessionModel](),
	declare[SessionRevert](),
	declare[SettingChange](),
	declare[Note](),
	declare[UserMsg](),
	declare[Attach](),
	declare[LLMReq](),
	declare[LLMChunk](),
	declare[LLMResp](),
	declare[ToolCall](),
	declare[ToolResult](),
	declare[GatePlan](),
	declare[CloseoutItem](),
	declare[Proof](),
	declare[TurnEnd](),
	declare[PromptOpen](),
	declare[PromptClose](),
	declare[GuardDecision](),
	declare[ApprovalChange](),
	declare[CredRegister](),
	declare[EgressCheck](),
	declare[RedactEvent](),
	declare[WorktreeCreate](),
	declare[WorktreeRestore](),
	declare[WorktreeCheckpoint](),
	declare[WorktreeSync](),
	declare[WorktreeLand](),
	declare[WorktreeRemove](),
	declare[IndexUpdate](),
}

// byKind finds a table entry by its kind.
var byKind = indexTable(table)

// Kinds returns every kind in the order of the table.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(table))
	for _, e := range table {
		kinds = append(kinds, e.kind)
	}
	return kinds
}

func declare[P Payload]() entry {
	var zero P
	return entry{kind: zero.kind(), decode: func(raw []byte) (Payload, error) {
		var p P
		err := json.Unmarshal(raw, &p, options)
		return p, err
	}}
}

func indexTable(entries []entry) map[Kind]entry {
	m := make(map[Kind]entry, len(entries))
	for _, e := range entries {
		if _, twice := m[e.kind]; twice {
			panic("event: kind declared twice: " + string(e.kind))
		}
		m[e.kind] = e
	}
	return m
}
