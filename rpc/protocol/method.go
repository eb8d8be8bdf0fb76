package protocol

// Direction says who sends a message, and whether it is answered.
type Direction string

// The directions of a message.
const (
	// ClientRequest goes to the server and is answered.
	ClientRequest Direction = "client request"
	// ServerRequest goes to the client and is answered.
	ServerRequest Direction = "server request"
	// ServerNotification goes to the client and has no answer.
	ServerNotification Direction = "server notification"
)

// Method describes one method of the protocol.
type Method struct {
	// Name is the method on the wire, such as "session/new".
	Name string
	// Direction says who sends it.
	Direction Direction
	// Params is the zero value of the type of its params.
	Params any
	// Result is the zero value of the type of its result; nil for a notification.
	Result any
	// Doc says what it does, in full sentences.
	Doc string
}

// The names of the methods.
const (
	MethodNew        = "session/new"
	MethodPrompt     = "session/prompt"
	MethodCancel     = "session/cancel"
	MethodList       = "session/list"
	MethodResume     = "session/resume"
	MethodClose      = "session/close"
	MethodTitle      = "session/title"
	MethodView       = "session/view"
	MethodEvents     = "session/events"
	MethodTranscript = "session/transcript"
	MethodDiff       = "session/diff"
	MethodLand       = "session/land"
	MethodUnland     = "session/unland"
	MethodRevert     = "session/revert"
	MethodSync       = "session/sync"
	MethodMode       = "session/mode"
	MethodContinue   = "session/continue"
	MethodQueue      = "session/queue"
	MethodSteer      = "session/steer"
	MethodTrail      = "session/trail"
	MethodApprovals  = "session/approvals"
	MethodRevoke     = "session/revoke"
	MethodEgress     = "session/egress"
	MethodProof      = "session/proof"

	MethodCredRegister = "cred/register"
	MethodCredList     = "cred/list"
	MethodCredRemove   = "cred/remove"

	MethodRequestPermission = "session/requestPermission"
	MethodAsk               = "session/ask"
	MethodPromptResolved    = "session/promptResolved"
	MethodEvent             = "session/event"
	MethodDelta             = "session/delta"
	MethodCard              = "session/card"
	MethodStatus            = "session/status"
)

// Methods lists every method once, in the order of the reference page.
func Methods() []Method {
	return []Method{
		{MethodNew, ClientRequest, NewParams{}, State{}, "Starts a session. In a git repository an edit session gets a worktree of its own, so that the checkout stays as it is."},
		{MethodPrompt, ClientRequest, PromptParams{}, TurnResult{}, "Starts a turn and answers when its end is on disk. A cancelled request cancels the turn, which is then answered as a result with outcome \"cancelled\"."},
		{MethodCancel, ClientRequest, CancelParams{}, CancelResult{}, "Cancels the running turn, or checks that run outside of one, and answers when everything that ran is gone."},
		{MethodList, ClientRequest, ListParams{}, ListResult{}, "Lists the sessions that have a log on this machine, page by page."},
		{MethodResume, ClientRequest, ResumeParams{}, ResumeResult{}, "Opens a session again. What that records is told before the answer, and a client that announced \"cards\" gets each card of the session once more as session/card. A session that this server holds answers its state, and nothing is recorded or told again."},
		{MethodClose, ClientRequest, CloseParams{}, CloseResult{}, "Closes a session, and cancels its running turn first. The worktree goes only when everything in it has landed, or with discard."},
		{MethodTitle, ClientRequest, TitleParams{}, Nothing{}, "Names a session."},
		{MethodView, ClientRequest, ViewParams{}, ViewResult{}, "Returns the cards of a session, from any log on disk. With follow, the notifications of a session that is open here come from now on; those of one that this connection started or resumed come anyway."},
		{MethodEvents, ClientRequest, EventsParams{}, EventsResult{}, "Returns a page of the events of a session, from any log on disk."},
		{MethodTranscript, ClientRequest, SessionParams{}, TranscriptResult{}, "Returns the transcript of a session, from any log on disk."},
		{MethodDiff, ClientRequest, DiffParams{}, DiffResult{}, "Returns what a session changed in its tree."},
		{MethodLand, ClientRequest, LandParams{}, LandResult{}, "Brings the work of a session into a branch of its repository. Uncommitted work there is never touched, and a landing that fails leaves everything as it was."},
		{MethodUnland, ClientRequest, SessionParams{}, UnlandResult{}, "Takes the last landing back, if nobody built on it."},
		{MethodRevert, ClientRequest, RevertParams{}, RevertResult{}, "Takes back a file, a hunk, everything after a turn, or what was said since. It is recorded, the model is told, and it can be undone; edits that a person made in the worktree since are kept."},
		{MethodSync, ClientRequest, SyncParams{}, SyncResult{}, "Brings the moved target into the worktree of a session, from which diffs and landings count then. It can be undone."},
		{MethodMode, ClientRequest, ModeParams{}, State{}, "Moves a session between modes. One that only read gets its worktree when it starts to edit."},
		{MethodContinue, ClientRequest, SessionParams{}, TurnResult{}, "Takes an interrupted turn up in a turn of its own, and answers as session/prompt does."},
		{MethodQueue, ClientRequest, QueueParams{}, QueueResult{}, "Lists, edits and drops what waits for the running turn."},
		{MethodSteer, ClientRequest, SteerParams{}, Nothing{}, "Adds a message to the running turn at its next step, and answers when it is on record."},
		{MethodApprovals, ClientRequest, SessionParams{}, ApprovalsResult{}, "Returns what needs no question in an open session, by whose word and how far it goes."},
		{MethodRevoke, ClientRequest, RevokeParams{}, ApprovalsResult{}, "Takes answers back, of the session and for good, and returns which."},
		{MethodEgress, ClientRequest, EgressParams{}, EgressResult{}, "Returns what a session sent to which hosts, or was not let send, from its log."},
		{MethodTrail, ClientRequest, TrailParams{}, TrailResult{}, "Returns in plain words what a turn did and is doing, and the output of a call on demand."},
		{MethodProof, ClientRequest, ProofParams{}, ProofResult{}, "Returns the last proof, and which of its checks still stand for the files as they are now. With rerun it runs all checks first, those too that run only when asked for; session/cancel ends that."},
		{MethodCredRegister, ClientRequest, CredRegisterParams{}, CredResult{}, "Stores a credential in the system's keychain or a private file."},
		{MethodCredList, ClientRequest, Nothing{}, CredResult{}, "Lists the credentials that are stored, without their values."},
		{MethodCredRemove, ClientRequest, CredParams{}, CredResult{}, "Takes a credential away."},
		{MethodRequestPermission, ServerRequest, PermissionParams{}, PermissionResult{}, "Asks a person for an effect. It waits until it is answered or withdrawn; it goes only to a client that announced \"permission\"."},
		{MethodAsk, ServerRequest, AskParams{}, AskResult{}, "Asks a person a question. It goes only to a client that announced \"question\"."},
		{MethodPromptResolved, ServerNotification, PromptResolved{}, nil, "Says that a prompt was answered elsewhere, withdrawn or expired: whatever shows it should close it."},
		{MethodEvent, ServerNotification, EventParams{}, nil, "Brings each logged event but llm.chunk, once it is on disk. It goes only to a client that announced \"events\"."},
		{MethodDelta, ServerNotification, DeltaParams{}, nil, "Previews the model's reply while it streams in, at most 30 times a second. It goes only to a client that announced \"deltas\"."},
		{MethodCard, ServerNotification, CardParams{}, nil, "Brings a card, new or changed. It goes only to a client that announced \"cards\"."},
		{MethodStatus, ServerNotification, StatusParams{}, nil, "Says what a session is doing. It goes only to a client that announced \"cards\"."},
	}
}
