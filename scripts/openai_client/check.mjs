// Asks a server of this project through OpenAI's own client for JavaScript, as check.py does through the one for Python.
//
//	npm install --prefix FOLDER openai@7.53.0
//	LUCID_OPENAI_NODE=FOLDER go test ./llm/serve -run TestOfficialClients
//
// The first argument is the folder, then as for check.py.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [folder, url, key, name] = process.argv.slice(2);
const { default: OpenAI } = createRequire(folder + "/")("openai");
const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 });
const hello = [{ role: "system", content: "x" }, { role: "user", content: "hi" }];
const cities = ["Rome", "Oslo"];
const parameters = { type: "object", properties: { city: { type: "string", enum: cities } }, required: ["city"], additionalProperties: false };
const chat = (more) => client.chat.completions.create({ model: name, messages: hello, ...more });

const models = [];
for await (const m of client.models.list()) models.push(m.id);
assert.deepEqual(models, [name]);
assert.equal((await client.models.retrieve(name)).id, name);

const a = await chat({ max_tokens: 8, temperature: 0 });
assert.ok(["length", "stop"].includes(a.choices[0].finish_reason) && a.choices[0].message.role === "assistant");
assert.equal(a.usage.total_tokens, a.usage.prompt_tokens + a.usage.completion_tokens);
const guessed = await chat({ max_tokens: 8, temperature: 0, prediction: { type: "content", content: [{ type: "text", text: "more" }] } });
assert.equal(guessed.choices[0].message.content, a.choices[0].message.content);
assert.ok(guessed.usage.completion_tokens_details.rejected_prediction_tokens >= 0);
let text = "", last;
for await (const part of await chat({ max_tokens: 8, temperature: 0, stream: true, stream_options: { include_usage: true } })) {
  text += part.choices[0]?.delta.content ?? "";
  last = part;
}
assert.equal(text, a.choices[0].message.content);
assert.equal(last.usage.completion_tokens, a.usage.completion_tokens);
assert.equal(last.usage.prompt_tokens_details.cached_tokens, a.usage.prompt_tokens - 1);

const probs = await chat({ max_completion_tokens: 4, n: 2, seed: 5, logprobs: true, top_logprobs: 3, logit_bias: { 65: 1 } });
assert.ok(probs.choices.length === 2 && probs.choices[1].logprobs.content.every((t) => t.top_logprobs.length === 3 && t.logprob <= 0));

const format = { type: "json_schema", json_schema: { name: "answer", strict: true, schema: parameters } };
const c = await client.chat.completions.parse({ model: name, messages: hello, max_tokens: 64, response_format: format });
assert.ok(cities.includes(JSON.parse(c.choices[0].message.content).city));

const d = await client.completions.create({ model: name, prompt: ["one", "two"], max_tokens: 4, temperature: 0, logprobs: 2, echo: true });
assert.ok(d.choices.length === 2 && d.choices[0].text.startsWith("one"));

const weather = { type: "function", function: { name: "weather", description: "of a city", parameters, strict: true } };
const e = await chat({ tools: [weather], tool_choice: "required", parallel_tool_calls: false, max_tokens: 200 });
const call = e.choices[0].message.tool_calls[0];
assert.ok(e.choices[0].finish_reason === "tool_calls" && cities.includes(JSON.parse(call.function.arguments).city));
const back = [...hello, e.choices[0].message, { role: "tool", tool_call_id: call.id, content: "cold" }];
assert.ok((await client.chat.completions.create({ model: name, messages: back, tools: [weather], max_tokens: 3 })).choices[0].finish_reason);
const stream = client.chat.completions.stream({ model: name, messages: hello, tools: [weather], tool_choice: "required",
  parallel_tool_calls: false, max_tokens: 200 });
let deltas = 0;
stream.on("tool_calls.function.arguments.delta", () => deltas++);
const final = await stream.finalMessage();
assert.ok(deltas > 0 && final.tool_calls[0].function.name === "weather");

const r = await client.responses.create({ model: name, input: "hi", instructions: "x", max_output_tokens: 8, temperature: 0 });
assert.equal(r.output_text, text);
const flat = { type: "function", name: "weather", parameters, strict: true };
const kinds = [];
for await (const event of await client.responses.create({ model: name, input: "hi", max_output_tokens: 200, parallel_tool_calls: false,
  tools: [flat], tool_choice: { type: "function", name: "weather" }, stream: true })) {
  kinds.push(event.type);
  if (event.type === "response.completed") assert.ok(cities.includes(JSON.parse(event.response.output[0].arguments).city));
}
assert.ok(kinds[0] === "response.created" && kinds.at(-1) === "response.completed", String(kinds));
assert.ok(kinds.includes("response.function_call_arguments.delta"));

const refused = async (kind, promise, word) => assert.rejects(promise, (err) => err instanceof kind && err.message.includes(word));
await refused(OpenAI.BadRequestError, chat({ n: 1000000 }), "n:");
await refused(OpenAI.BadRequestError, chat({ surprise: 1 }), "surprise");
await refused(OpenAI.NotFoundError, client.completions.create({ model: "../x", prompt: "x" }), "there is no model");
await refused(OpenAI.BadRequestError, client.responses.create({ model: name, input: "x", previous_response_id: "r" }), "previous");
const other = new OpenAI({ baseURL: url, apiKey: "wrong", maxRetries: 0 });
await refused(OpenAI.AuthenticationError, other.completions.create({ model: name, prompt: "x" }), "key");
console.log("openai npm ok");
