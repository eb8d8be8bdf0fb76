package protocol

// Mode says what a session may do.
type Mode string

// The modes of a session.
const (
	// Edit is a session that may change files.
	Edit Mode = "edit"
	// Ask is a session that only reads and answers.
	Ask Mode = "ask"
	// Plan is a session that only reads and ends with a plan to accept.
	Plan Mode = "plan"
)

// NewParams are the params of session/new.
type NewParams struct {
	// Repo is the repository or folder to work in: a path, or a file URI.
	Repo string `json:"repo"`
	// Mode is "edit" (the default), "ask" or "plan".
	Mode Mode `json:"mode,omitzero"`
	// Worktree says whether the session gets a git worktree of its own. Absent, an "edit" session in a git repository does.
	Worktree *bool `json:"worktree,omitzero"`
	// Base is the ref that the worktree starts from; absent for what the repository has checked out.
	Base string `json:"base,omitzero"`
	// Branch is the name of the worktree's branch; absent for one made from title and id.
	Branch string `json:"branch,omitzero"`
	// Carry says what of the person's own state comes along into the worktree; absent for what the configuration says.
	Carry *Carry `json:"carry,omitzero"`
	// Model is a configured model; absent for the control model.
	Model string `json:"model,omitzero"`
	// Title names the session; absent until someone gives one.
	Title string `json:"title,omitzero"`
	// Preview says what the session would be, above all what its worktree would lack, and writes nothing. The answer has an empty session.
	Preview bool `json:"preview,omitzero"`
}

// Carry says what of the person's own state comes along into a new worktree. It is a base of its own: no diff and no landing counts it as the agent's work.
type Carry struct {
	// Uncommitted brings changes of tracked files: staged, unstaged and deleted.
	Uncommitted bool `json:"uncommitted,omitzero"`
	// Untracked brings files that git neither knows nor ignores.
	Untracked bool `json:"untracked,omitzero"`
	// Ignored are patterns, as in .gitignore, of ignored files that are copied, beside those of the configuration.
	Ignored []string `json:"ignored,omitempty"`
}

// Validate names the first wrong field.
func (p NewParams) Validate() error {
	return first(required("repo", p.Repo), noNUL("repo", p.Repo), oneOf("mode", p.Mode, Edit, Ask, Plan), name("base", p.Base), name("branch", p.Branch), p.carries())
}

func (p NewParams) carries() error {
	if p.Carry == nil {
		return nil
	}
	return list("carry.ignored", p.Carry.Ignored)
}

// ModeParams are the params of session/mode.
type ModeParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Mode is the mode to go to: "edit", "ask" or "plan".
	Mode Mode `json:"mode"`
}

// Validate names the first wrong field.
func (p ModeParams) Validate() error {
	return first(required("session", p.Session), required("mode", string(p.Mode)), oneOf("mode", p.Mode, Edit, Ask, Plan))
}

// Worktree is the git worktree of a session.
type Worktree struct {
	// Repository is the absolute path of the repository that it belongs to.
	Repository string `json:"repository"`
	// Path is the absolute path of the worktree.
	Path string `json:"path"`
	// Branch is the session's own branch.
	Branch string `json:"branch"`
	// Base is the branch that the repository had checked out; empty when its HEAD was detached.
	Base string `json:"base"`
	// BaseCommit is the commit that the session started from.
	BaseCommit string `json:"baseCommit"`
	// Uncommitted counts the changed files of the repository that the worktree lacks.
	Uncommitted int `json:"uncommitted"`
	// Untracked counts the untracked files of the repository that the worktree lacks.
	Untracked int `json:"untracked"`
	// Carried is the commit that holds the person's own state that came along; absent when nothing did.
	Carried string `json:"carried,omitzero"`
	// Ready says that the files are checked out. While they are not, session/status says so once they are, and turns wait for it.
	Ready bool `json:"ready"`
}

// State is what a session is now, and the result of session/new.
type State struct {
	// Session is the id that names the session in every other method.
	Session string `json:"session"`
	// Repo is the absolute path of the tree that the session works in.
	Repo string `json:"repo"`
	// Mode is "edit", "ask" or "plan".
	Mode Mode `json:"mode"`
	// Worktree is the session's own worktree; absent when it works in the folder.
	Worktree *Worktree `json:"worktree,omitzero"`
}

// SessionParams name a session, for methods that need nothing else.
type SessionParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
}

// Validate names the first wrong field.
func (p SessionParams) Validate() error { return required("session", p.Session) }

// ResumeParams are the params of session/resume.
type ResumeParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Repo is a folder of the repository as the client has it open, a path or a file URI: a session whose repository was moved finds it there.
	Repo string `json:"repo,omitzero"`
}

// Validate names the first wrong field.
func (p ResumeParams) Validate() error {
	return first(required("session", p.Session), noNUL("repo", p.Repo))
}

// ResumeResult is the result of session/resume: the state, and what it took to get there.
type ResumeResult struct {
	State `json:",inline"`
	// Recovered names the calls that were cut off and got their result only now.
	Recovered []string `json:"recovered"`
	// Unfinished says that the last turn was cut off.
	Unfinished bool `json:"unfinished"`
	// Restored says that the worktree was gone and was made again.
	Restored bool `json:"restored"`
}

// CloseParams are the params of session/close.
type CloseParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Discard removes the worktree although something in it has not landed.
	Discard bool `json:"discard,omitzero"`
}

// Validate names the first wrong field.
func (p CloseParams) Validate() error { return required("session", p.Session) }

// CloseResult is the result of session/close.
type CloseResult struct {
	// WorktreeRemoved says that the worktree and its branch are gone.
	WorktreeRemoved bool `json:"worktreeRemoved"`
	// Unlanded are the paths whose changes have not landed; the worktree and its commits are kept for them.
	Unlanded []string `json:"unlanded"`
}

// TitleParams are the params of session/title.
type TitleParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Title is the new title; empty takes it back.
	Title *string `json:"title"`
}

// Validate names the first wrong field.
func (p TitleParams) Validate() error {
	if p.Title == nil {
		return first(required("session", p.Session), &FieldError{Field: "title", Reason: "is required; an empty one takes the title back"})
	}
	return required("session", p.Session)
}

// ListParams are the params of session/list.
type ListParams struct {
	// Repo keeps the sessions of one tree or repository: a path, or a file URI.
	Repo string `json:"repo,omitzero"`
	// Limit is the most sessions to return; 0 leaves it to the server.
	Limit int `json:"limit,omitzero"`
	// Cursor is the cursor of the page before, as it came.
	Cursor string `json:"cursor,omitzero"`
}

// Validate names the first wrong field.
func (p ListParams) Validate() error { return notNegative("limit", p.Limit) }

// Summary is one session of a list.
type Summary struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Title is the title, or the first request when there is none.
	Title string `json:"title"`
	// Status is what the session is doing.
	Status Status `json:"status"`
	// Unfinished says that the last turn was cut off.
	Unfinished bool `json:"unfinished"`
	// Mode is "edit", "ask" or "plan".
	Mode Mode `json:"mode"`
	// Repo is the tree that the session works in.
	Repo string `json:"repo"`
	// Repository is the repository that its worktree belongs to; absent without a worktree.
	Repository string `json:"repository,omitzero"`
	// Branch is the branch of its worktree; absent without a worktree.
	Branch string `json:"branch,omitzero"`
	// Model is the model that it talks to.
	Model string `json:"model"`
	// Created is when it started, RFC 3339 in UTC.
	Created string `json:"created"`
	// Updated is when something was last recorded, RFC 3339 in UTC.
	Updated string `json:"updated"`
	// Turns counts its turns.
	Turns int `json:"turns"`
	// Cost is what its requests cost in US dollars; absent when nobody said.
	Cost *float64 `json:"cost,omitzero"`
	// OpenElsewhere says that another process holds it.
	OpenElsewhere bool `json:"openElsewhere"`
	// Overlaps are the files that another session of the repository changes too; only of sessions that are open here.
	Overlaps []Overlap `json:"overlaps,omitempty"`
}

// ListResult is the result of session/list.
type ListResult struct {
	// Sessions are the sessions, the latest first.
	Sessions []Summary `json:"sessions"`
	// Cursor asks for the next page; absent on the last.
	Cursor string `json:"cursor,omitzero"`
}
