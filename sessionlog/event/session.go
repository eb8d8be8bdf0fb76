package event

// Worktree identifies the linked git worktree of a session. It is the same in session.start, session.resume and the worktree kinds.
type Worktree struct {
	// Repository is the absolute path of the repository's main working tree, or of its git folder when it is bare.
	Repository string `json:"repository"`
	// Path is the absolute path of the session's working tree.
	Path string `json:"path"`
	// Branch is the session's own branch, without refs/heads/.
	Branch string `json:"branch"`
	// Base is the branch the repository had checked out; empty when its HEAD was detached.
	Base string `json:"base"`
	// BaseCommit is the full object id the session started from; diffs and landings count from it.
	BaseCommit string `json:"base_commit"`
}

// Model names the model a session talks to. It never holds a key.
type Model struct {
	// Name is the registry entry: "control" or a [models.NAME].
	Name string `json:"name"`
	// Server is the [servers.NAME] entry.
	Server string `json:"server"`
	// Model is the id as the provider names it.
	Model string `json:"model"`
	// URL is where the server is reached; for a scripted model the path of its file.
	URL string `json:"url"`
}

// ToolSpec is one tool as the model is told of it.
type ToolSpec struct {
	// Name is the tool's stable kebab-case name.
	Name string `json:"name"`
	// Description is the text the model reads.
	Description string `json:"description"`
	// Schema is the JSON Schema of the arguments.
	Schema RawJSON `json:"schema"`
}

// Limits bound a request. Zero means that the server's own default holds.
type Limits struct {
	// Context is the model's context window in tokens.
	Context int `json:"context,omitzero"`
	// MaxOutput is the largest reply in tokens.
	MaxOutput int `json:"max_output,omitzero"`
}

// Options are sampling and effort settings that enter the request body.
type Options struct {
	// Effort is the reasoning effort as the server names it; empty sends none.
	Effort string `json:"effort,omitzero"`
}

// Context is the recipe from which request bodies are built, until the next recipe.
type Context struct {
	// System is the system text.
	System string `json:"system"`
	// Tools are the tools offered to the model, in order.
	Tools []ToolSpec `json:"tools"`
	// Limits bound the window and the reply.
	Limits Limits `json:"limits"`
	// Options enter the request body.
	Options Options `json:"options"`
	// Wire is the request format and its version, such as "openai-chat/1". Old encoders stay.
	Wire string `json:"wire"`
	// CompactPrompt is the text that asks for a handover note; empty while nothing compacts.
	CompactPrompt string `json:"compact_prompt"`
}

// Budget holds the limits of a turn. It has no members while no budget can be configured.
type Budget struct{}

// Redaction says which rules are in force.
type Redaction struct {
	// Version is the version of the rule set.
	Version int `json:"version"`
}

// Sandbox says how commands are contained.
type Sandbox struct {
	// Backend is the containment in use; "none" when commands run unconfined.
	Backend string `json:"backend"`
}

// Client names the program that opened the session.
type Client struct {
	// Name as the client gave it.
	Name string `json:"name"`
	// Version as the client gave it.
	Version string `json:"version"`
}

// Configuration is what a session works with, as configured when it was started or resumed.
type Configuration struct {
	// Version is the version of nodwyn that wrote the event.
	Version string `json:"version"`
	// Repo is the tree the session works in: the worktree's path when there is one, else the folder.
	Repo string `json:"repo"`
	// Mode is "edit", or "ask" or "plan" for a session that only reads.
	Mode string `json:"mode"`
	// Worktree is the session's own worktree; absent when it works in the folder.
	Worktree *Worktree `json:"worktree,omitzero"`
	// Model is the model the session talks to.
	Model Model `json:"model"`
	// Context is the recipe of the requests that follow.
	Context Context `json:"context"`
	// Budget holds the limits of each turn.
	Budget Budget `json:"budget"`
	// Redaction says which rules are in force.
	Redaction Redaction `json:"redaction"`
	// Sandbox says how commands are contained.
	Sandbox Sandbox `json:"sandbox"`
	// Client names the program that opened the session; absent when it did not say.
	Client *Client `json:"client,omitzero"`
}

// Carry says what of the person's own state was to come along into the worktree. It stands in the record of the plan, so that a start which was cut off is made good as it was meant.
type Carry struct {
	// From is the folder of the checkout that it comes from, the main one or a linked worktree.
	From string `json:"from"`
	// Uncommitted brings changes of tracked files.
	Uncommitted bool `json:"uncommitted,omitzero"`
	// Untracked brings files that git neither knows nor ignores.
	Untracked bool `json:"untracked,omitzero"`
	// Ignored are patterns of ignored files that are copied, now and whenever the worktree is made again.
	Ignored []string `json:"ignored,omitempty"`
}

// SessionStart opens every log. It is durable before git is touched; a session.start with a worktree but no worktree.create is made good by a resume.
type SessionStart struct {
	Configuration `json:",inline"`
	// Carry says what was to come along into the worktree; absent without one.
	Carry *Carry `json:"carry,omitzero"`
}

// SessionResume opens a later life of the session, with the configuration as it is now. Directly after it stand the recovery results of calls that a crash left unfinished, the prompt.close of open prompts, the turn.end of the cut turn, worktree.restore and the note of a torn tail.
type SessionResume struct {
	Configuration `json:",inline"`
}

// SessionEnd closes a life of the session.
type SessionEnd struct {
	// Reason is "closed", "editor_exit" (stdin or the client's process is gone), "shutdown" or "error".
	Reason string `json:"reason"`
}

// SessionMode moves the session between modes. Going to "edit" in a repository plans a worktree; a session.mode with one but no worktree.create behind it is made good by a resume.
type SessionMode struct {
	// From is the mode before.
	From string `json:"from,omitzero"`
	// Mode is "ask" (reads and answers), "plan" (reads and ends with a plan to accept) or "edit".
	Mode string `json:"mode"`
	// Actor is who moved it.
	Actor string `json:"actor"`
	// Worktree is the worktree that the session gets; absent when it has one, needs none or cannot have one.
	Worktree *Worktree `json:"worktree,omitzero"`
	// Carry says what was to come along into that worktree.
	Carry *Carry `json:"carry,omitzero"`
}

// ModelActor is the actor of what the side model proposed.
const ModelActor = "model"

// SelfActor is the actor of what nodwyn does of itself.
const SelfActor = "nodwyn"

// SessionTitle names the session. The latest counts, but one that the side model proposed only where none was given or taken back: a person may have been faster.
type SessionTitle struct {
	// Actor is who gave the title; "model" for one that the side model proposed.
	Actor string `json:"actor"`
	// Title is the new title; empty takes it back.
	Title string `json:"title"`
}

// SessionModel names the model that the session talks to from here on. The latest counts.
type SessionModel struct {
	// From is the registry entry before; absent at open.
	From string `json:"from,omitzero"`
	// Model is the id as the provider names it.
	Model string `json:"model"`
	// Server is the [servers.NAME] entry.
	Server string `json:"server"`
	// Name is the registry entry.
	Name string `json:"name"`
	// URL is where the server is reached.
	URL string `json:"url"`
	// Actor is who chose it.
	Actor string `json:"actor"`
	// Context is the recipe of the requests that follow.
	Context Context `json:"context"`
}

// SessionRevert takes files of the session, or what was said, back to an earlier state. It is on record before a file changes; a resume completes it.
type SessionRevert struct {
	// What is "files", "chat" or "both". For chat the events after the end of ToTurn up to this one leave later windows.
	What string `json:"what"`
	// ToTurn is the turn to whose end it goes back, 0 for the start; absent when files go back to the base.
	ToTurn *int `json:"to_turn,omitzero"`
	// Path is the only file or folder that goes back.
	Path string `json:"path,omitzero"`
	// Hunk is the id of the only hunk that goes back.
	Hunk string `json:"hunk,omitzero"`
	// Before is the snapshot of the files as they were, with what somebody had edited since the session's own last one.
	Before string `json:"before,omitzero"`
	// Commit is the snapshot that the files become; absent when none changes.
	Commit string `json:"commit,omitzero"`
	// Undo says that the last revert which was not undone is taken back; the fields before Commit are its own.
	Undo bool `json:"undo,omitzero"`
	// Actor is who asked for it; "nodwyn" where the record before could not be carried out, which this one takes back.
	Actor string `json:"actor"`
}

// SettingChange records a setting that a person chose at a prompt.
type SettingChange struct {
	// Actor is who answered.
	Actor string `json:"actor"`
	// PromptID is the prompt that was answered.
	PromptID string `json:"prompt_id"`
	// Key is the setting, such as "trust".
	Key string `json:"key"`
	// Value is what was chosen; for trust the SHA-256 of the content and the answer.
	Value string `json:"value"`
	// State is "applied" or "failed".
	State string `json:"state"`
	// Error says why it failed.
	Error string `json:"error,omitzero"`
}

// Note is a remark of nodwyn's own, for people and programs.
type Note struct {
	// Code is a stable word for programs, such as "torn_tail".
	Code string `json:"code"`
	// Text is for people.
	Text string `json:"text"`
}

func (SessionStart) kind() Kind  { return "session.start" }
func (SessionResume) kind() Kind { return "session.resume" }
func (SessionEnd) kind() Kind    { return "session.end" }
func (SessionMode) kind() Kind   { return "session.mode" }
func (SessionTitle) kind() Kind  { return "session.title" }
func (SessionModel) kind() Kind  { return "session.model" }
func (SessionRevert) kind() Kind { return "session.revert" }
func (SettingChange) kind() Kind { return "setting.change" }
func (Note) kind() Kind          { return "note" }
