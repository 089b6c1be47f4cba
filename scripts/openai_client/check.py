"""Asks a server of this project through OpenAI's own client, and asserts that every answer is of the type the client expects.

    LUCID_OPENAI_PYTHON=python3 go test ./llm/serve -run TestOfficialClients

serves a tiny model and runs it. It also runs against any model whose chat template has tools; what the model says does not matter:

    LUCID_SERVE_KEY=secret go run ./cmd/lucid serve tiny=MODEL --port 8089 &
    python3 scripts/openai_client/check.py http://127.0.0.1:8089/v1 secret tiny [EMBEDDER]

EMBEDDER is the name of an encoder that is served too.
"""

import json
import sys

import openai

url, key, name, *embedder = sys.argv[1:]
client = openai.OpenAI(base_url=url, api_key=key, max_retries=0)
hello = [{"role": "system", "content": "x"}, {"role": "user", "content": "hi"}]


def refused(kind, call, *names):
    try:
        call()
    except kind as e:
        for n in names:
            assert n in str(e), (n, str(e))
        return
    raise AssertionError("not refused")


assert [m.id for m in client.models.list()] == embedder + [name]
assert client.models.retrieve(name).id == name

a = client.chat.completions.create(model=name, messages=hello, max_tokens=8, temperature=0)
assert a.choices[0].finish_reason in ("length", "stop") and a.choices[0].message.role == "assistant"
assert a.usage.completion_tokens <= 8 and a.usage.total_tokens == a.usage.prompt_tokens + a.usage.completion_tokens
text = a.choices[0].message.content
assert a.usage.prompt_tokens_details.cached_tokens >= 0

guessed = client.chat.completions.create(model=name, messages=hello, max_tokens=8, temperature=0,
                                         prediction={"type": "content", "content": text + "more"})
details = guessed.usage.completion_tokens_details
assert guessed.choices[0].message.content == text and guessed.usage.completion_tokens == a.usage.completion_tokens
assert details.accepted_prediction_tokens >= 0 and details.rejected_prediction_tokens >= 0

parts = list(client.chat.completions.create(model=name, messages=hello, max_tokens=8, temperature=0, stream=True,
                                            stream_options={"include_usage": True}))
assert "".join(p.choices[0].delta.content or "" for p in parts if p.choices) == text
assert parts[-1].usage.completion_tokens == a.usage.completion_tokens and parts[-2].choices[0].finish_reason
assert parts[-1].usage.prompt_tokens_details.cached_tokens == a.usage.prompt_tokens - 1  # the last one is evaluated

b = client.chat.completions.create(model=name, messages=hello, max_completion_tokens=4, n=3, seed=5, temperature=1.3, top_p=0.9,
                                   presence_penalty=0.5, frequency_penalty=0.5, logprobs=True, top_logprobs=3, user="someone",
                                   logit_bias={"65": 1})
again = client.chat.completions.create(model=name, messages=hello, max_completion_tokens=4, n=3, seed=5, temperature=1.3, top_p=0.9,
                                       presence_penalty=0.5, frequency_penalty=0.5, logit_bias={"65": 1})
assert len(b.choices) == 3 and [c.message.content for c in b.choices] == [c.message.content for c in again.choices]
assert all(len(t.top_logprobs) == 3 and t.logprob <= 0 for c in b.choices for t in c.logprobs.content)

schema = {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}, "ok": {"type": "boolean"}}, "required": ["city", "ok"],
          "additionalProperties": False}
for seed in range(5):
    c = client.chat.completions.create(model=name, messages=hello, max_tokens=64, seed=seed, response_format={
        "type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}})
    v = json.loads(c.choices[0].message.content)
    assert v["city"] in ("Rome", "Oslo") and isinstance(v["ok"], bool) and c.choices[0].finish_reason == "stop"

d = client.completions.create(model=name, prompt=["one", "two"], max_tokens=4, temperature=0, logprobs=2, echo=True)
assert len(d.choices) == 2 and d.choices[0].text.startswith("one") and len(d.choices[0].logprobs.top_logprobs) <= 4
pieces = list(client.completions.create(model=name, prompt="one", max_tokens=4, temperature=0, stream=True))
assert "one" + "".join(p.choices[0].text for p in pieces) == d.choices[0].text

# Tools.
parameters = {"type": "object", "properties": {"city": {"type": "string", "enum": ["Rome", "Oslo"]}}, "required": ["city"],
              "additionalProperties": False}
weather = {"type": "function", "function": {"name": "weather", "description": "of a city", "parameters": parameters, "strict": True}}
clock = {"type": "function", "function": {"name": "clock"}}
one = {"type": "function", "function": {"name": "weather"}}
for choice in ("required", one):
    e = client.chat.completions.create(model=name, messages=hello, tools=[weather, clock], tool_choice=choice, max_tokens=200, seed=2,
                                       parallel_tool_calls=False)
    call = e.choices[0].message.tool_calls[0]
    assert e.choices[0].finish_reason == "tool_calls" and e.choices[0].message.content is None and call.type == "function"
    assert call.function.name in ("weather", "clock") and isinstance(json.loads(call.function.arguments), dict)
    if choice is one:
        assert json.loads(call.function.arguments)["city"] in ("Rome", "Oslo")
    back = hello + [e.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "cold"}]
    assert client.chat.completions.create(model=name, messages=back, tools=[weather, clock], max_tokens=3).choices[0].finish_reason
with client.chat.completions.stream(model=name, messages=hello, tools=[weather], tool_choice="required", max_tokens=200, seed=2,
                                    parallel_tool_calls=False) as s:
    kinds = {event.type for event in s}
    final = s.get_final_completion().choices[0]
assert "tool_calls.function.arguments.delta" in kinds and "tool_calls.function.arguments.done" in kinds, kinds
assert final.message.tool_calls[0].function.parsed_arguments["city"] in ("Rome", "Oslo") and final.finish_reason == "tool_calls"
for choice in ("auto", "none"):
    assert client.chat.completions.create(model=name, messages=hello, tools=[weather], tool_choice=choice, max_tokens=3).choices

# Responses.
f = client.responses.create(model=name, input="hi", instructions="x", max_output_tokens=8, temperature=0, store=False)
assert f.status in ("completed", "incomplete") and f.output_text == text and f.usage.output_tokens == a.usage.completion_tokens
assert f.usage.input_tokens == a.usage.prompt_tokens and f.usage.input_tokens_details.cached_tokens == a.usage.prompt_tokens - 1
assert f.output[0].type == "message"
g = client.responses.create(model=name, input=[{"role": "user", "content": "hi"}], max_output_tokens=200, parallel_tool_calls=False,
                            tools=[{"type": "function", "name": "weather", "parameters": parameters, "strict": True}],
                            tool_choice={"type": "function", "name": "weather"})
call = g.output[0]
assert call.type == "function_call" and json.loads(call.arguments)["city"] in ("Rome", "Oslo") and g.status == "completed"
h = client.responses.create(model=name, max_output_tokens=4, input=[{"role": "user", "content": "hi"}, call.model_dump(exclude_none=True), {
    "type": "function_call_output", "call_id": call.call_id, "output": "cold"}])
assert h.output[0].content[0].type == "output_text"
with client.responses.stream(model=name, input="hi", max_output_tokens=200, text={"format": {
        "type": "json_schema", "name": "answer", "strict": True, "schema": schema}}) as s:
    kinds = [event.type for event in s]
    final = s.get_final_response()
assert kinds[0] == "response.created" and kinds[-1] == "response.completed" and "response.output_text.delta" in kinds, kinds
assert json.loads(final.output_text)["city"] in ("Rome", "Oslo")
with client.responses.stream(model=name, input="hi", max_output_tokens=200, parallel_tool_calls=False, tool_choice="required",
                             tools=[{"type": "function", "name": "weather", "parameters": parameters, "strict": True}]) as s:
    kinds = [event.type for event in s]
    assert s.get_final_response().output[0].name == "weather"
assert "response.function_call_arguments.delta" in kinds and "response.function_call_arguments.done" in kinds, kinds
refused(openai.BadRequestError, lambda: client.responses.create(model=name, input="x", previous_response_id="r"), "previous_response_id")
refused(openai.BadRequestError, lambda: client.responses.create(model=name, input="x", tools=[{"type": "web_search"}]), "web_search")

ask = client.chat.completions.create
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, n=1000000), "n:")
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, temperature=3), "temperature")
refused(openai.BadRequestError, lambda: ask(model=name, messages=[]), "messages")
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, extra_body={"surprise": 1}), "surprise")
refused(openai.BadRequestError, lambda: ask(model=name, messages=[{"role": "user", "content": [
    {"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/x.png"}}]}]), "image_url")
refused(openai.NotFoundError, lambda: ask(model="../../etc/passwd", messages=hello), "there is no model")
refused(openai.BadRequestError, lambda: client.embeddings.create(model=name, input="x"), "does not embed")
for e in embedder:
    one = client.embeddings.create(model=e, input="a text")  # as base64, which the client asks for and decodes
    plain = client.embeddings.create(model=e, input=["a text", "another"], encoding_format="float")
    assert plain.usage.total_tokens > one.usage.total_tokens > 0 and [d.index for d in plain.data] == [0, 1]
    assert max(abs(x - y) for x, y in zip(one.data[0].embedding, plain.data[0].embedding)) < 1e-6
    refused(openai.BadRequestError, lambda: client.embeddings.create(model=e, input=""), "input")
    refused(openai.BadRequestError, lambda: ask(model=e, messages=hello), "does not generate")
refused(openai.AuthenticationError, lambda: openai.OpenAI(base_url=url, api_key="wrong", max_retries=0).completions.create(
    model=name, prompt="x"))
print("openai", openai.__version__, "ok")
