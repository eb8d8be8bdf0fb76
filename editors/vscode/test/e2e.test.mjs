// The first session of a person, in the real workbench, with the real program and a scripted model. NODWYN_PROGRAM and NODWYN_VSIX name what is tested; NODWYN_SCREENS names a folder to keep pictures in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "./bench.mjs";
import { git, kill, logs, machine, nodwyn, remove, serve } from "./machine.mjs";

const files = {
  "greet.sh": "#!/bin/sh\n# Greets whom it is given.\n\necho \"Hello, $1!\"\n",
  "check.sh": "#!/bin/sh\n[ \"$(sh greet.sh)\" = \"Hello, world!\" ] && echo right\n",
  "README.md": "# greet\n\nSays hello.\n",
  ".nodwyn/closeout.toml": "[[item]]\nname = \"check\"\nrun  = [\"sh\", \"check.sh\"]\n",
};

const replies = `think It prints its first argument.
say I will look at the script first.
call file-read {"path": "greet.sh"}

say Without a name it should greet the world.
call file-edit {"path": "greet.sh", "edits": [{"old": "echo \\"Hello, $1!\\"", "new": "echo \\"Hello, \${1:-world}!\\""}]}

say I will note it down.
call file-write {"path": "NOTES.md", "content": "# Notes\\n\\nThe world is greeted by default.\\n"}

call shell-exec {"argv": ["sh", "check.sh"]}

say The greeting says **world** when nobody is named. \`check.sh\` passes.

${readme("cancelled")}
${readme("reloaded")}
${readme("killed")}
say The README says so.
`;

// The title of each session, and the message of each landing.
const names = "say Greet the world by default\n";

function readme(word) {
  return `call file-edit {"path": "README.md", "edits": [{"old": "Says hello.", "new": "Says hello, ${word}."}]}\n`;
}

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

/** step is one part of the way. Each needs the ones before it, so the first that fails ends the run, with what the extension logged. */
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
  made = machine({ files, replies, names });
  workbench = await serve(made);
  bench = await open(workbench.address, made.repo);
});

after(async () => {
  await bench?.close();
  await workbench?.stop();
  remove(made);
});

step("nothing starts before the workspace is trusted", async () => {
  await bench.dialog().waitFor();
  await bench.dialogButton("No, I don't trust").click();
  await bench.status("nodwyn").waitFor();
  await bench.command("nodwyn: Ask for Something");
  await bench.session().getByText("Nothing is started in Restricted Mode").waitFor();
  await screen("restricted");
  await bench.command("nodwyn: Manage Workspace Trust");
  await bench.trust();
  await bench.session().getByText("Ask for something in this folder.").waitFor();
});

step("a request makes a session, and its change waits at the line in the person's file", async () => {
  await bench.command("nodwyn: Ask for Something");
  await bench.ask("Greet the world when nobody is named.");
  await bench.thread("Replace greet.sh").waitFor();
  await bench.status("nodwyn: 1 waiting").waitFor();
  await bench.row("Replace greet.sh").waitFor();
  await bench.badge().filter({ hasText: /^1$/ }).waitFor();
  await bench.card("Replace greet.sh").getByText("Allow once").waitFor();
  await screen("write-permission");
  assert.equal(readFileSync(join(made.repo, "greet.sh"), "utf8"), files["greet.sh"]);
});

step("an icon of the thread allows it, and every surface lets go of it", async () => {
  await bench.threadIcon("Replace greet.sh", "Allow Once").click();
  await bench.thread("Replace greet.sh").waitFor({ state: "detached" });
  await bench.card("Allowed replace of greet.sh").waitFor();
  assert.equal(await bench.card("Replace greet.sh").count(), 0);
  await bench.row("Replace greet.sh").waitFor({ state: "detached" });
});

step("a new file waits as it would become, and is denied with a reason", async () => {
  await bench.thread("Create NOTES.md").waitFor();
  await screen("create-permission");
  await bench.thread("Create NOTES.md").locator(".review-thread-reply-button").click();
  await bench.type("Not needed, the code says it.");
  await bench.thread("Create NOTES.md").locator(".monaco-button", { hasText: "Deny and Say Why" }).click();
  await bench.card("Denied create of NOTES.md").waitFor();
  const [id] = sessions();
  assert.match(nodwyn(made, "replay", id), /Not needed, the code says it\./);
});

step("a command is allowed from the list of what waits", async () => {
  await bench.row("Run sh check.sh").waitFor();
  await screen("command-permission");
  await bench.rowButton("Run sh check.sh", "Allow Once");
  await bench.card("Allowed run of sh check.sh").waitFor();
});

step("the repository's own check is trusted, and the proof has it", async () => {
  await bench.session().getByRole("button", { name: "trust" }).click();
  await bench.card("Wrote 1 file, 1 check ran.").waitFor();
  await bench.card("The greeting says").locator("strong", { hasText: "world" }).waitFor();
  // The side model names a session when it comes to it, and the name is there as soon as it is known.
  await bench.session().locator("#title", { hasText: "Greet the world by default" }).waitFor();
  await screen("proof");
});

step("all checks run again when a person asks for it", async () => {
  await bench.command("nodwyn: Run All Checks");
  await bench.toast("1 of 1 checks passed.").waitFor();
  await bench.card("Wrote 1 file, 1 check ran.").waitFor();
});

step("all changes are in one editor", async () => {
  await bench.session().getByRole("button", { name: "Show changes" }).click();
  await bench.changes().first().waitFor();
  assert.equal(await bench.changes().count(), 1);
  await bench.changes().locator(".modified .view-line", { hasText: "world" }).waitFor();
  await screen("changes");
});

step("landing is shown, confirmed and done", async () => {
  await bench.session().getByRole("button", { name: "Land…" }).click();
  await bench.pick("Land in main").waitFor();
  await bench.pick("Greet the world by default").waitFor();
  await bench.pick("By Person <person@example.test>, not signed").waitFor();
  await screen("land");
  assert.equal(git(made, "rev-list", "--count", "HEAD").trim(), "1");
  await bench.pick("Land in main").click();
  await bench.toast("Landed 1 file in main").waitFor();
  assert.equal(git(made, "rev-list", "--count", "HEAD").trim(), "2");
  assert.match(readFileSync(join(made.repo, "greet.sh"), "utf8"), /\$\{1:-world\}/);
  // What has landed is not offered again, and can be taken back.
  await bench.session().getByText("Landed in main as").waitFor();
  await bench.session().getByRole("button", { name: "Take landing back" }).waitFor();
  assert.equal(await bench.session().getByRole("button", { name: "Land…" }).count(), 0);
});

step("the trail tells what was done, and shows the output on demand", async () => {
  await bench.card("6 steps").locator("summary").click();
  const ran = bench.session().locator("article.trail li", { hasText: "check.sh" });
  await ran.getByRole("button", { name: "Output" }).click();
  await ran.locator("pre", { hasText: "right" }).waitFor();
  await screen("trail");
});

step("a request waits behind the one that runs, and cancelling takes back what waits", async () => {
  await bench.box().click();
  await bench.ask("Say so in the README.");
  await bench.thread("Replace README.md").waitFor();
  await bench.box().click();
  await bench.ask("And translate it.");
  await bench.session().locator("#queue li", { hasText: "And translate it." }).waitFor();
  await screen("queue");
  await bench.session().getByRole("button", { name: "Drop And translate it." }).click();
  await bench.session().locator("#queue li").waitFor({ state: "detached" });
  await bench.session().getByRole("button", { name: "Cancel" }).click();
  await bench.thread("Replace README.md").waitFor({ state: "detached" });
  await bench.card("Cancelled").waitFor();
  await bench.row("Replace README.md").waitFor({ state: "detached" });
});

step("a reload in the middle of a request ends the turn, and offers to go on", async () => {
  await bench.box().click();
  await bench.ask("Then say so anyway.");
  await bench.thread("Replace README.md").waitFor();
  await bench.page.reload();
  await bench.status("nodwyn").waitFor();
  await bench.command("nodwyn: Ask for Something");
  await bench.card("Then say so anyway.").waitFor();
  await bench.card("Cancelled").nth(1).waitFor();
  await bench.session().getByRole("button", { name: "Continue" }).waitFor();
  await bench.row("Replace README.md").waitFor({ state: "detached" });
  await screen("reloaded");
});

step("a server that dies is started again, what it asked is gone, and the turn goes on", async () => {
  await bench.box().click();
  await bench.ask("Once more.");
  await bench.thread("Replace README.md").waitFor();
  kill(made);
  await bench.thread("Replace README.md").waitFor({ state: "detached" });
  await bench.page.locator(".statusbar-item", { has: bench.page.locator(".codicon-check"), hasText: "nodwyn" }).waitFor();
  await bench.session().getByRole("button", { name: "Continue" }).click();
  await bench.card("The README says so.").waitFor();
});

step("twelve keys lead from an open folder to a landing", async () => {
  await bench.command("nodwyn: New Session");
  await bench.session().locator("#box:focus").waitFor();
  await bench.command("View: Focus Active Editor Group");
  bench.keys = 0;
  await bench.press("Control+Alt+Period");
  await bench.ask("Note down what it does.");
  for (const what of ["Create NOTES.md", "Run sh check.sh"]) {
    await bench.row(what).waitFor();
    await bench.press("Control+Alt+Y");
    await bench.pick("Allow once").waitFor();
    await bench.type("allow once");
    await bench.press("Enter");
    await bench.row(what).waitFor({ state: "detached" });
  }
  await bench.card("checks ran").or(bench.card("check ran")).last().waitFor();
  await bench.press("Control+Alt+Shift+L");
  await bench.pick("Land in main").waitFor();
  await bench.press("Enter");
  await bench.toast("Landed").last().waitFor();
  assert.ok(bench.keys <= 12, `${bench.keys} keys`);
});

step("the session can be read in high contrast", async () => {
  await bench.theme("Dark High Contrast");
  await bench.session().locator("body.vscode-high-contrast").waitFor();
  await screen("high-contrast");
});

step("the records are whole, and nothing left the machine", async () => {
  nodwyn(made, "verify");
  assert.equal(sessions().length, 2);
  assert.deepEqual(bench.strangers, []);
});

function sessions() {
  return nodwyn(made, "sessions", "--json").trim().split("\n").map((line) => JSON.parse(line).session);
}
