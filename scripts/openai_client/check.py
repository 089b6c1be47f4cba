"""Asks a server of this project through OpenAI's own client, and asserts that every answer is of the type the client expects.

    LUCID_SERVE_KEY=secret go run ./cmd/lucid serve tiny=MODEL_FOLDER --port 8089 &
    python3 scripts/openai_client/check.py http://127.0.0.1:8089/v1 secret tiny [EMBEDDER]

Any model with a chat template will do; what it says does not matter. EMBEDDER is the name of an encoder that is served too.
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

parts = list(client.chat.completions.create(model=name, messages=hello, max_tokens=8, temperature=0, stream=True,
                                            stream_options={"include_usage": True}))
assert "".join(p.choices[0].delta.content or "" for p in parts if p.choices) == text
assert parts[-1].usage.completion_tokens == a.usage.completion_tokens and parts[-2].choices[0].finish_reason

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

ask = client.chat.completions.create
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, n=1000000), "n:")
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, temperature=3), "temperature")
refused(openai.BadRequestError, lambda: ask(model=name, messages=[]), "messages")
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, extra_body={"surprise": 1}), "surprise")
refused(openai.BadRequestError, lambda: ask(model=name, messages=[{"role": "user", "content": [
    {"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/x.png"}}]}]), "image_url")
refused(openai.BadRequestError, lambda: ask(model=name, messages=hello, tools=[{"type": "function", "function": {"name": "f"}}]), "tools")
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
refused(openai.NotFoundError, lambda: client.responses.create(model=name, input="x"))
print("openai", openai.__version__, "ok")
