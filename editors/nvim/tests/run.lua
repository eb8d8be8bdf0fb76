-- Runs the cases of one file: `nvim -l run.lua FILE`. Each case is reported as one line of JSON on stdout.
--
-- Invariant: an error anywhere in a case fails that case, and a file without cases fails.

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
package.path = ('%s/tests/?.lua;%s/lua/?.lua;%s/lua/?/init.lua;%s'):format(root, root, root, package.path)
vim.opt.runtimepath:prepend(root)

local cases = {}

--- Declares a case.
---@param name string
---@param run fun()
function _G.case(name, run)
  table.insert(cases, { name = name, run = run })
end

--- Compares whole values.
function _G.check(what, got, want)
  if not vim.deep_equal(got, want) then
    error(('%s\n got %s\nwant %s'):format(what, vim.inspect(got), vim.inspect(want)), 2)
  end
end

dofile(_G.arg[1])

local failed = #cases == 0
for _, one in ipairs(cases) do
  local ok, problem = xpcall(one.run, debug.traceback)
  if not ok then
    problem = problem .. require('world').report()
  end
  local cleaned, left = pcall(require('world').close)
  if ok and not cleaned then
    ok, problem = false, tostring(left)
  end
  failed = failed or not ok
  io.write(vim.json.encode({ name = one.name, ok = ok, problem = not ok and problem or nil }), '\n')
  io.flush()
end
os.exit(failed and 1 or 0)
