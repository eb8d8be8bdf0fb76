// What the tests know of the workbench's page. These classes belong to VS Code and change with it: the pinned version is the one they were read from.
import { chromium } from "playwright-core";

// No name but this machine's own is resolved, so that what should not leave it cannot.
const flags = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];

/** open shows a folder in a browser. The requests that left the machine, which there must not be, are in strangers. */
export async function open(address, folder) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // a machine that builds something else beside it takes that long to start an extension
  const strangers = [];
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    // A webview's own files have addresses of that kind, which the workbench answers within the page.
    const own = host === new URL(address).host || host.endsWith(".vscode-resource.vscode-cdn.net");
    if (/^(https?|wss?):$/.test(protocol) && !own) {
      strangers.push(request.url());
    }
  });
  await page.goto(`${address}/?folder=${encodeURIComponent(folder)}`);
  await page.locator(".monaco-workbench").waitFor();
  return new Bench(browser, page, strangers);
}

export class Bench {
  keys = 0;

  constructor(browser, page, strangers) {
    this.browser = browser;
    this.page = page;
    this.strangers = strangers;
  }

  /** press strikes a key, and counts it. */
  async press(key) {
    this.keys++;
    await this.page.keyboard.press(key);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** command runs a command by its title, as from the palette. The palette closes when something else takes the focus meanwhile, such as a session that has just been opened, and is opened again then, as a person would. */
  async command(title) {
    for (let tries = 3; ; tries--) {
      await this.page.keyboard.press("F1");
      try {
        await this.page.locator(".quick-input-widget input").fill(`>${title}`, { timeout: 10_000 });
        await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click({ timeout: 10_000 });
        return;
      } catch (err) {
        if (tries === 1) {
          throw err;
        }
      }
    }
  }

  /** trust uses the editor for it, which newer workbenches show over everything else. */
  async trust() {
    await this.page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
    const over = this.page.locator(".monaco-modal-editor-block");
    if (await over.count() === 0) {
      await this.command("View: Close Editor");
      return;
    }
    await over.locator(".action-label[aria-label^='Close']").first().click();
    await over.waitFor({ state: "detached" });
  }

  async theme(name) {
    await this.command("Preferences: Color Theme");
    await this.page.locator(".quick-input-widget input").fill(name);
    await this.pick(name).first().click();
  }

  status(text) {
    return this.page.locator(".statusbar-item", { hasText: text });
  }

  dialog() {
    return this.page.locator(".monaco-dialog-box");
  }

  dialogButton(label) {
    return this.dialog().locator(".monaco-button", { hasText: label });
  }

  pick(text) {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text });
  }

  palette() {
    return this.page.locator(".quick-input-widget input:focus");
  }

  /** terminal is what the terminal shows, while it has the keys. */
  terminal(text) {
    return this.page.locator(".terminal.focus .xterm-rows", { hasText: text }).first();
  }

  toast(text) {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text });
  }

  toastButton(text, label) {
    return this.toast(text).locator(".monaco-button", { hasText: label });
  }

  /** expand shows what is beneath a row. */
  async expand(text) {
    await this.row(text).locator(".monaco-tl-twistie.collapsed").click();
  }

  /** row is a row of a tree in the side bar. */
  row(text) {
    return this.page.locator(".sidebar .monaco-list-row", { hasText: text });
  }

  async rowButton(text, label) {
    await this.row(text).hover();
    await this.row(text).locator(`.action-label[aria-label^="${label}"]`).click();
  }

  badge() {
    return this.page.locator(".activitybar .action-item:has([aria-label^='nodwyn']) .badge-content");
  }

  /** session is the page inside the session view. */
  session() {
    return this.page.frameLocator("iframe.webview").frameLocator("iframe#active-frame");
  }

  card(text) {
    return this.session().locator("article", { hasText: text });
  }

  box() {
    return this.session().locator("#box");
  }

  thread(text) {
    return this.page.locator(".review-widget", { hasText: text });
  }

  threadIcon(text, label) {
    return this.thread(text).locator(`.action-label[aria-label^="${label}"]`);
  }

  tab(text) {
    return this.page.locator(".tabs-container .tab", { hasText: text });
  }

  changes() {
    return this.page.locator(".multiDiffEntry");
  }

  editorText() {
    return this.page.locator(".editor-instance .view-lines").first().innerText();
  }

  /** ask writes a request into the box once that has the focus, and sends it. */
  async ask(text) {
    await this.session().locator("#box:focus").waitFor();
    await this.type(text);
    await this.press("Enter");
  }

  close() {
    return this.browser.close();
  }
}
