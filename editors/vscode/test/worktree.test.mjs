// What becomes of a session's files, in the real workbench: the person's own work comes along, hunks and requests are taken back, a conflict is resolved in the worktree, a landing is taken back, and sessions that will meet say so. NODWYN_PROGRAM, NODWYN_VSIX and NODWYN_SCREENS are as in e2e.test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "./bench.mjs";
import { git, logs, machine, nodwyn, remove, serve } from "./machine.mjs";

/** greet has its two greetings far enough apart to be two hunks. */
const greet = (first, second) => `#!/bin/sh\necho "${first}"\n\n${"# Says nothing here.\n".repeat(12)}\necho "${second}"\n`;

const write = (...greetings) => `call file-write ${JSON.stringify({ path: "greet.sh", content: greet(...greetings) })}`;

// Each session is answered from the start.
const replies = `${write("Hello, moon", "Goodbye, moon")}

say The moon is greeted.

${write("Good day, moon", "Goodbye, moon")}

say Both greetings are kept.
`;

let made;
let workbench;
let bench;
let failed = false;

async function screen(name) {
  const folder = process.env.NODWYN_SCREENS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    await bench.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

/** step is one part of the way, as in e2e.test.mjs. */
function step(name, run) {
  test(name, async (t) => {
    if (failed) {
      t.skip("a step before it failed");
      return;
    }
    try {
      await run();
    } catch (err) {
      failed = true;
      await screen(`failed-${name.replaceAll(/\W+/g, "-")}`);
      throw new Error(`${err.message}\n--- log of the extension\n${logs(made)}`, { cause: err });
    }
  });
}

before(async () => {
  made = machine({ files: { "greet.sh": greet("Hello", "Goodbye"), "README.md": "# greet\n" }, replies });
  writeFileSync(join(made.repo, "README.md"), "# greet\n\nMine, not committed.\n");
  writeFileSync(join(made.repo, "notes.txt"), "mine, not added\n");
  workbench = await serve(made);
  bench = await open(workbench.address, made.repo);
});

after(async () => {
  await bench?.close();
  await workbench?.stop();
  remove(made);
});

/** tree is the worktree of the latest session, here what a file holds in it. */
const tree = () => JSON.parse(nodwyn(made, "sessions", "--json").trim().split("\n")[0]).repo;
const here = (name) => readFileSync(join(tree(), name), "utf8");

/** untouched says that the person's own work is as they left it. */
function untouched() {
  assert.equal(readFileSync(join(made.repo, "README.md"), "utf8"), "# greet\n\nMine, not committed.\n");
  assert.equal(git(made, "status", "--porcelain"), " M README.md\n?? notes.txt\n");
}

step("one click takes the person's own work along", async () => {
  await bench.dialogButton("Yes, I trust").click();
  await bench.status("nodwyn").waitFor();
  await bench.command("nodwyn: Ask for Something");
  const offer = bench.session().getByLabel("Take along 1 changed and 1 new file");
  await offer.waitFor();
  await screen("carry");
  await offer.check();
  await bench.box().click();
  await bench.ask("Greet the moon.");
  await bench.row("Replace greet.sh").waitFor();
  await bench.rowButton("Replace greet.sh", "Allow Once");
  await bench.card("The moon is greeted.").waitFor();
  await bench.session().getByText("Your uncommitted work came along.").waitFor();
  await bench.session().getByText("1 file to land").waitFor();
  assert.equal(here("README.md"), "# greet\n\nMine, not committed.\n");
  assert.ok(existsSync(join(tree(), "notes.txt")));
  untouched();
});

step("the hunk at the cursor is taken back, and comes again", async () => {
  await bench.expand("Greet the moon.");
  await bench.row("greet.sh").click();
  const line = bench.page.locator(".editor-instance .modified .view-line", { hasText: "Goodbye, moon" });
  await line.click();
  await bench.command("nodwyn: Revert Hunk");
  await bench.toast("Taken back: greet.sh").waitFor();
  assert.equal(here("greet.sh"), greet("Hello, moon", "Goodbye"));
  await screen("revert");
  await bench.toastButton("Taken back: greet.sh", "Undo").click();
  await bench.toast("Back again: greet.sh").waitFor();
  assert.equal(here("greet.sh"), greet("Hello, moon", "Goodbye, moon"));
});

step("a conflict names file and line, and the agent resolves it in the worktree", async () => {
  writeFileSync(join(made.repo, "greet.sh"), greet("Good day", "Goodbye"));
  git(made, "commit", "-q", "-m", "a politer greeting", "greet.sh");
  await bench.session().getByRole("button", { name: "Land…" }).click();
  await bench.dialog().getByText("The branch and this session changed the same places.").waitFor();
  await bench.dialog().getByText("greet.sh, line 2: was changed on the branch too").waitFor();
  await screen("conflict");
  await bench.dialogButton("Sync").click();
  await bench.dialog().getByText("Nothing lands while a conflict marker is left.").waitFor();
  assert.match(here("greet.sh"), /^<<<<<<< /m);
  await bench.dialogButton("Let the Agent Resolve").click();
  await bench.row("Replace greet.sh").waitFor();
  await bench.rowButton("Replace greet.sh", "Allow Once");
  await bench.card("Both greetings are kept.").waitFor();
  untouched();
});

step("what was resolved lands, beside the person's own work, and is taken back", async () => {
  const head = git(made, "rev-parse", "HEAD");
  await bench.session().getByRole("button", { name: "Land…" }).click();
  await bench.pick("Land in main").click();
  await bench.toast("Landed 1 file in main").waitFor();
  assert.equal(git(made, "show", "HEAD:greet.sh"), greet("Good day, moon", "Goodbye, moon"));
  untouched();
  await bench.session().getByRole("button", { name: "Take landing back" }).click();
  await bench.dialogButton("Take Back").click();
  await bench.toast("The landing in main is taken back.").waitFor();
  assert.equal(git(made, "rev-parse", "HEAD"), head);
  await bench.session().getByRole("button", { name: "Land…" }).waitFor();
  untouched();
});

step("sessions that change the same line say so before anybody lands", async () => {
  await bench.command("nodwyn: New Session");
  await bench.box().click();
  await bench.ask("Greet it again.");
  await bench.row("Replace greet.sh").waitFor();
  await bench.rowButton("Replace greet.sh", "Allow Once");
  await bench.card("The moon is greeted.").waitFor();
  await bench.session().getByText("“Greet the moon.” also changes greet.sh, lines 2, 17").waitFor();
  await bench.status("nodwyn: 1 overlap").waitFor();
  await screen("overlap");
});

step("everything since a request is taken back, files and conversation", async () => {
  await bench.session().getByRole("button", { name: "Go back to before this request" }).click();
  await bench.pick("Files and conversation").waitFor();
  await screen("go-back");
  await bench.pick("Files and conversation").click();
  await bench.toast("Taken back: greet.sh; 1 request and what was answered").waitFor();
  assert.equal(here("greet.sh"), greet("Good day", "Goodbye"));
  assert.equal(await bench.box().inputValue(), "Greet it again.");
  await bench.command("nodwyn: Undo Revert");
  await bench.toast("Back again: greet.sh").waitFor();
  assert.equal(here("greet.sh"), greet("Hello, moon", "Goodbye, moon"));
});

step("chosen hunks land on a branch of their own", async () => {
  await bench.row("Greet the moon.").click();
  await bench.session().getByRole("button", { name: "Land…" }).click();
  await bench.pick("Strategy").click();
  await bench.pick("on a branch of its own").click();
  await bench.palette().waitFor();
  await bench.type("moon");
  await bench.press("Enter");
  await bench.pick("What lands").click();
  await bench.pick("+ echo \"Good day, moon\"").click();
  await bench.press("Enter");
  await bench.pick("1 hunk").waitFor();
  await screen("land-choice");
  await bench.pick("Land in moon").click();
  await bench.toast("Landed 1 file in moon").waitFor();
  assert.equal(git(made, "show", "moon:greet.sh"), greet("Good day", "Goodbye, moon"));
  untouched();
});

step("the records are whole, and nothing left the machine", async () => {
  nodwyn(made, "verify");
  assert.deepEqual(bench.strangers, []);
});
