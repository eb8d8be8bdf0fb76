import assert from "node:assert/strict";
import { test } from "node:test";
import { markdown } from "../../src/webview/markdown";

const cases: [name: string, text: string, html: string][] = [
  ["a paragraph keeps its lines", "one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"],
  ["headings", "# A\n### B `c`", "<h1>A</h1><h3>B <code>c</code></h3>"],
  ["a list behind a paragraph", "so:\n- a\n- **b**", "<p>so:</p><ul><li>a</li><li><strong>b</strong></li></ul>"],
  ["a numbered list", "1. a\n2) b", "<ol><li>a</li><li>b</li></ol>"],
  ["code is left as it is", "```go\na *b* <c>\n\n- d\n```\nend", "<pre><code>a *b* &lt;c&gt;\n\n- d</code></pre><p>end</p>"],
  ["code that still streams in", "```\nhalf", "<pre><code>half</code></pre>"],
  ["a longer fence holds a shorter one", "````\n```\n````", "<pre><code>```</code></pre>"],
  ["emphasis", "an *old* and **new** one, 2 * 3 * 4, a_b_c", "<p>an <em>old</em> and <strong>new</strong> one, 2 * 3 * 4, a_b_c</p>"],
  ["nothing in code is emphasis", "`**a**`", "<p><code>**a**</code></p>"],
  ["a link stays text", "[here](https://example.test) <a href=x>", "<p>[here](https://example.test) &lt;a href=x&gt;</p>"],
  ["nothing", "", ""],
];

for (const [name, text, html] of cases) {
  test(name, () => assert.equal(markdown(text), html));
}
