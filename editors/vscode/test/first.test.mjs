// From an empty home to the first landing, by keys alone: the workspace is trusted, a model is set up, something is asked for, allowed and landed. NODWYN_PROGRAM, NODWYN_VSIX and NODWYN_SCREENS are as in e2e.test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "./bench.mjs";
import { git, logs, machine, remove, serve } from "./machine.mjs";
import { ollama } from "./ollama.mjs";

const edit = { path: "greet.sh", edits: [{ old: "Hello", new: "Good morning" }] };

const again = { path: "greet.sh", edits: [{ old: "morning", new: "evening" }] };

let model;
let made;
let workbench;
let bench;

before(async () => {
  model = await ollama([{ call: "file-edit", args: edit }, { say: "It says good morning now." },
    { say: "It could say good evening." }, { call: "file-edit", args: again }, { say: "It says good evening now." }]);
  made = machine({ files: { "greet.sh": "echo \"Hello, $1!\"\n" }, variables: { OLLAMA_HOST: model.host } });
  workbench = await serve(made);
  bench = await open(workbench.address, made.repo);
});

after(async () => {
  await bench?.close();
  await workbench?.stop();
  await model?.stop();
  remove(made);
});

test("twelve keys lead from an empty home to the first landing", () => told(way));

test("a question checks nothing out, and is done when the person says so", () => told(question));

async function told(run) {
  try {
    await run();
  } catch (err) {
    await screen("failed-first");
    throw new Error(`${err.message}\n--- log of the extension\n${logs(made)}`, { cause: err });
  }
}

async function way() {
  await bench.dialogButton("Yes, I trust").waitFor();
  await bench.press("Enter");
  await bench.dialog().waitFor({ state: "detached" });
  await bench.status("nodwyn").waitFor();
  await setUp();
  await bench.press("Control+Alt+Period");
  await bench.ask("Greet for the morning.");
  await bench.row("Replace greet.sh").waitFor();
  await bench.press("Control+Alt+Y");
  await bench.pick("Allow once").waitFor();
  await bench.type("allow once");
  await bench.press("Enter");
  await bench.card("It says good morning now.").waitFor();
  await bench.card("Wrote 1 file").waitFor();
  await bench.press("Control+Alt+Shift+L");
  await bench.pick("Land in main").waitFor();
  await bench.press("Enter");
  await bench.toast("Landed").last().waitFor();
  await screen("first-landing");
  assert.equal(git(made, "show", "HEAD:greet.sh"), "echo \"Good morning, $1!\"\n");
  assert.ok(bench.keys <= 12, `${bench.keys} keys`);
  assert.deepEqual(bench.strangers, []);
}

async function question() {
  await bench.command("nodwyn: New Session");
  await bench.session().locator("#mode").selectOption("ask");
  await bench.box().click();
  await bench.ask("What else could it say?");
  await bench.card("It could say good evening.").waitFor();
  assert.equal(trees(), 1);
  await bench.session().getByRole("button", { name: "Do it" }).click();
  await bench.row("Replace greet.sh").waitFor();
  assert.equal(trees(), 2);
  await bench.rowButton("Replace greet.sh", "Allow Once");
  await bench.card("It says good evening now.").waitFor();
  await bench.card("Wrote 1 file").waitFor();
}

/** trees counts the worktrees of sessions. */
function trees() {
  return git(made, "worktree", "list", "--porcelain").split("\n").filter((line) => line.startsWith("worktree ")).length - 1;
}

/** setUp runs the dialog in the terminal that the extension opens for it, and takes what it proposes. */
async function setUp() {
  const file = join(made.home, ".config", "nodwyn", "config.toml");
  assert.ok(!existsSync(file));
  await bench.press("F1");
  await bench.palette().waitFor();
  await bench.type("nodwyn: Set Up a Model");
  await bench.pick("Set Up a Model").waitFor();
  await bench.press("Enter");
  for (const question of ["number [1]", "by number or name [1]", "config.toml? [Y/n]"]) {
    await bench.terminal(question).waitFor();
    await screen("setup");
    await bench.press("Enter");
  }
  await bench.terminal("").waitFor({ state: "detached" }); // it takes the keys until it has closed
  assert.match(readFileSync(file, "utf8"), /model = "scripted:1b"/);
}

async function screen(name) {
  const folder = process.env.NODWYN_SCREENS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    await bench.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
