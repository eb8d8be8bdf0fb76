// Bundles the extension, the page of the session view, and, with --tests, the unit tests.
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, logLevel: "warning", sourcemap: "linked", target: "node20" };

async function product() {
  await build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", platform: "node", format: "cjs", external: ["vscode"], minify: true });
  await build({ ...common, entryPoints: ["src/webview/page.ts"], outfile: "dist/page.js", platform: "browser", format: "iife", target: "es2022", minify: true });
}

async function tests() {
  const entryPoints = readdirSync("test/unit").map((name) => `test/unit/${name}`);
  await build({ ...common, entryPoints, outdir: "dist/test", platform: "node", format: "esm", outExtension: { ".js": ".mjs" } });
}

// The package carries the licence, which the repository has once.
copyFileSync("../../LICENSE", "LICENSE");
rmSync("dist", { recursive: true, force: true });
await product();
if (process.argv.includes("--tests")) {
  await tests();
}
