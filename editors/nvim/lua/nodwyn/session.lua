-- What this Neovim knows of each session, and the requests that concern one.
--
-- Invariant: everything here is what the server said last; a session that is not here is on disk, and can be asked for again.

local client = require('nodwyn.client')

local M = {}

---@class nodwyn.Preview A reply that streams in, until its card replaces it.
---@field turn integer
---@field attempt integer
---@field step integer
---@field text string[]
---@field thinking string[]

---@class nodwyn.Session
---@field id string
---@field state? nodwyn.State
---@field cards nodwyn.Card[] In the order of appearance.
---@field revisions table<string, integer> The revision of each card.
---@field status nodwyn.Status
---@field turn integer The running turn, 0 between turns.
---@field waits nodwyn.Wait[]
---@field step integer
---@field preview? nodwyn.Preview
---@field unfinished boolean Whether the last turn was cut off.
---@field title? string
---@field branch? string Of a session that is not open here.
---@field ready boolean Whether the server said that its files are checked out, which may come before the answer that says they are not.
---@field overlaps nodwyn.Overlap[] The files that another session changes too.
---@field resolve? string The request that has the agent resolve what the last sync left.
---@field life integer The server that holds it; 0 for none.
---@field root? string The folder that the person works in.

---@type table<string, nodwyn.Session>
local all = {}
--- The session that commands mean when the cursor is not in one, for each folder.
---@type table<string, string>
local last = {}
--- The repository of each tree that a session works in, since a person may work there too.
---@type table<string, string>
local trees = {}

--- Returns a session, known or not.
---@param id string
---@return nodwyn.Session
function M.of(id)
  if not all[id] then
    all[id] = {
      id = id,
      cards = {},
      revisions = {},
      status = 'closed',
      waits = {},
      step = 0,
      turn = 0,
      unfinished = false,
      life = 0,
      overlaps = {},
      ready = false,
    }
  end
  return all[id]
end

--- Returns the folder that commands are about: the repository of the current buffer, or the folder it is in.
---@return string
function M.root()
  local id = vim.b.nodwyn_session or vim.b.nodwyn_diff
  local own = id and M.of(id).root
  if own then
    return own
  end
  local name = vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) or ''
  local root = vim.fs.root(name ~= '' and name or vim.fn.getcwd(), '.git') or vim.fn.getcwd()
  return trees[root] or root
end

--- Returns a file's name as the session's tree has it, for one of the repository or of that tree.
---@param name string
---@return string?
function M.inside(name)
  local root = vim.fs.root(name, '.git')
  return root and vim.startswith(name, root .. '/') and name:sub(#root + 2) or nil
end

--- Returns the session that commands mean: the one under the cursor, else the last one of this folder.
---@return nodwyn.Session?
function M.here()
  local id = vim.b.nodwyn_session or vim.b.nodwyn_diff or last[M.root()]
  return id and M.of(id) or nil
end

--- Returns every session that was seen, for completion.
---@return string[]
function M.ids()
  return vim.tbl_keys(all)
end

--- Makes a session the one that commands mean.
---@param s nodwyn.Session
---@param root string
function M.choose(s, root)
  s.root = s.root or root
  last[root] = s.id
end

--- Says whether the running server holds a session.
---@param s nodwyn.Session
---@return boolean
function M.held(s)
  return s.life > 0 and s.life == client.life()
end

--- Says whether a turn runs in any session.
---@return boolean
function M.busy()
  return vim.iter(all):any(function(_, s)
    return M.held(s) and (s.status == 'running' or s.status == 'waiting')
  end)
end

local function changed(s)
  require('nodwyn.buffer').draw_preview(s)
  vim.api.nvim_exec_autocmds('User', { pattern = 'NodwynStatus', data = { session = s.id, status = s.status } })
  vim.cmd.redrawstatus({ bang = true })
end

---@param s nodwyn.Session
---@param state nodwyn.State|nodwyn.ResumeResult
local function opened(s, state)
  s.state, s.life, s.status = state, client.life(), 'idle'
  s.unfinished = state.unfinished or false
  s.root = state.worktree and state.worktree.repository or state.repo
  last[s.root] = s.id
  trees[state.repo] = s.root
end

--- Sends a request about a session that is open here, opening it first if an earlier server held it.
---@param s nodwyn.Session
---@param method nodwyn.Request
---@param params table
---@param done fun(result: any)
---@param failed? fun(err: nodwyn.Error): boolean? Says whether it has shown the error.
function M.call(s, method, params, done, failed)
  local function send()
    client.request(method, vim.tbl_extend('force', { session = s.id }, params), function(err, result)
      if not err then
        return done(result)
      end
      if not failed or not failed(err) then
        client.report(err)
      end
    end)
  end
  M.open(s, send)
end

--- Opens a session again.
---@param s nodwyn.Session
---@param done? fun()
function M.resume(s, done)
  -- A repository that was moved since is found where it is open now.
  local here = vim.fs.root(vim.fn.getcwd(), '.git') or vim.fn.getcwd()
  client.request('session/resume', { session = s.id, repo = here }, function(err, state)
    if err then
      return client.report(err)
    end
    opened(s, state)
    require('nodwyn.buffer').draw(s)
    changed(s)
    if done then
      done()
    end
  end)
end

--- Calls with a session that is open here, opening it first if an earlier server held it.
---@param s nodwyn.Session
---@param act fun()
function M.open(s, act)
  if M.held(s) then
    return act()
  end
  M.resume(s, act)
end

--- Starts a session.
---@param params nodwyn.NewParams
---@param done fun(s: nodwyn.Session)
---@param failed? fun()
function M.new(params, done, failed)
  client.request('session/new', params, function(err, state)
    if err then
      client.report(err)
      return failed and failed()
    end
    local s = M.of(state.session)
    opened(s, state)
    -- The server may spell the folder otherwise, where a link is on the way.
    last[params.repo] = s.id
    done(s)
  end)
end

--- Sends a prompt; while a turn runs it waits for its turn in the server.
---@param s nodwyn.Session
---@param text string
---@param attachments? nodwyn.Attachment[]
function M.prompt(s, text, attachments)
  local busy = s.status == 'running' or s.status == 'waiting'
  local params = { text = text, attachments = attachments, when = busy and 'next' or nil }
  M.call(s, 'session/prompt', params, function(turn)
    M.ended(s, turn)
  end)
end

--- Moves a session to another mode.
---@param s nodwyn.Session
---@param mode nodwyn.Mode
---@param done? fun()
function M.mode(s, mode, done)
  M.call(s, 'session/mode', { mode = mode }, function(state)
    s.state = vim.tbl_extend('force', s.state or {}, state)
    require('nodwyn.buffer').draw(s)
    return done and done()
  end)
end

--- Tells the end of a turn.
---@param s nodwyn.Session
---@param turn nodwyn.TurnResult
function M.ended(s, turn)
  -- A request that left the queue never became a turn.
  if turn.turn > 0 then
    s.preview = nil
    changed(s)
    require('nodwyn.notice').say(s.id, ('turn %d %s'):format(turn.turn, turn.outcome))
  end
end

--- Fetches the cards of a session from its log, without opening it.
---@param s nodwyn.Session
---@param done fun()
function M.view(s, done)
  client.request('session/view', { session = s.id, follow = M.held(s) or nil }, function(err, view)
    if err then
      return client.report(err)
    end
    s.status, s.cards, s.revisions = view.status, view.cards, {}
    for _, card in ipairs(view.cards) do
      s.revisions[card.id] = view.revision
    end
    done()
  end)
end

--- Takes a card, new or changed.
---@param p nodwyn.CardParams
function M.on_card(p)
  local s = M.of(p.session)
  if p.revision < (s.revisions[p.card.id] or 0) then
    return
  end
  s.revisions[p.card.id] = p.revision
  local at = #s.cards + 1
  for i, card in ipairs(s.cards) do
    at = card.id == p.card.id and i or at
  end
  s.cards[at] = p.card
  if p.card.kind == 'result' then
    s.preview = nil
  end
  require('nodwyn.buffer').draw(s, at)
end

--- Takes a piece of a reply. A later attempt or step voids what came before.
---@param p nodwyn.DeltaParams
function M.on_delta(p)
  local s = M.of(p.session)
  local attempt, old = p.attempt or 1, s.preview
  if not old or old.turn ~= p.turn or old.attempt ~= attempt or old.step ~= s.step then
    s.preview = { turn = p.turn, attempt = attempt, step = s.step, text = { '' }, thinking = { '' } }
  end
  for _, kind in ipairs({ 'text', 'thinking' }) do
    local lines, pieces = s.preview[kind], vim.split(p[kind] or '', '\n', { plain = true })
    lines[#lines] = lines[#lines] .. pieces[1]
    vim.list_extend(lines, pieces, 2)
  end
  require('nodwyn.buffer').draw_preview(s)
end

--- Takes what a session is doing.
---@param p nodwyn.StatusParams
function M.on_status(p)
  local s = M.of(p.session)
  local diff = require('nodwyn.diff')
  local ran = s.status == 'running' and p.status == 'idle'
  s.status, s.waits, s.step, s.turn = p.status, p.waits or {}, p.step or 0, p.turn or 0
  s.overlaps = p.overlaps or {}
  s.ready = s.ready or p.ready or false
  if p.status == 'closed' then
    s.life, s.ready = 0, false
  end
  if p.status == 'running' and s.unfinished then
    s.unfinished = false
    require('nodwyn.buffer').draw(s, 0)
  end
  if p.status ~= 'running' and p.status ~= 'waiting' then
    s.preview = nil
  end
  if ran then
    diff.refresh(s)
  else
    diff.mark_overlaps(s)
  end
  changed(s)
end

--- Says whether the files of a session's tree are not all there yet.
---@param s nodwyn.Session
---@return boolean
function M.checking_out(s)
  local tree = M.held(s) and s.state and s.state.worktree
  return tree and not tree.ready and not s.ready or false
end

--- Marks every session as closed: the server that held them is gone.
function M.on_exit()
  for _, s in pairs(all) do
    if s.life > 0 then
      s.life, s.status, s.waits, s.preview = 0, 'closed', {}, nil
      s.overlaps, s.ready = {}, false
      changed(s)
    end
  end
end

--- Returns where the person's checkout has a file of the session's tree.
---@param s nodwyn.Session
---@param path string
---@return string
function M.checkout(s, path)
  local tree = s.state and s.state.worktree
  local inside = tree and vim.startswith(path, tree.path .. '/') and path:sub(#tree.path + 2)
  return inside and vim.fs.joinpath(tree.repository, inside) or path
end

return M
