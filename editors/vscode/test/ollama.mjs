// An Ollama as the program sees it: one model, and replies in the order of a list. Each reply is a text, or the call of a tool.
import { createServer } from "node:http";

/** ollama answers on a free port until it is stopped. A reply is {say} or {call, args}; set-up's own request is answered beside them. */
export async function ollama(replies) {
  const left = [...replies];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => { body += piece; });
    request.on("end", () => answer(request.url, body, left, response));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { host: `127.0.0.1:${server.address().port}`, left, stop: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}

function answer(path, body, left, response) {
  const json = (value) => response.end(`${JSON.stringify(value)}\n`);
  switch (path) {
    case "/api/tags":
      return json({ models: [{ name: "scripted:1b" }] });
    case "/api/show":
      return json({ capabilities: ["completion", "tools"], model_info: { "scripted.context_length": 32768 } });
    case "/api/chat":
      // Set-up tries the model with one tool; a session has many.
      return json(message(JSON.parse(body).tools?.length > 1 ? left.shift() : { say: "ready" }));
  }
  response.statusCode = 404;
  return json({ error: `there is no ${path}` });
}

function message({ say, call, args }) {
  const calls = call ? { tool_calls: [{ function: { name: call, arguments: args } }] } : {};
  return { model: "scripted:1b", message: { role: "assistant", content: say ?? "", ...calls }, done: true, done_reason: "stop", prompt_eval_count: 100, eval_count: 10 };
}
