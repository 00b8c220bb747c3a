"""Uses the strict helpers of the openai client at each address given, and prints what each gave or raised as one JSON object per line."""

import json
import math
import sys

from openai import APIStatusError, OpenAI

MESSAGES = [{"role": "user", "content": "Say something."}]


def message(completion):
    choice = completion.choices[0]
    return {
        "object": completion.object,
        "created": isinstance(completion.created, int),
        "id": isinstance(completion.id, str),
        "index": choice.index,
        "role": choice.message.role,
        "content": isinstance(choice.message.content, str) and len(choice.message.content.split()),
        "finish": choice.finish_reason,
    }


def chat(client):
    return message(client.chat.completions.create(model="m", messages=MESSAGES))


def parse(client):
    return message(client.chat.completions.parse(model="m", messages=MESSAGES))


def stream(client):
    text = ""
    for chunk in client.chat.completions.create(model="m", messages=MESSAGES, stream=True):
        for choice in chunk.choices:
            text += choice.delta.content or ""
    return {"content": len(text.split())}


def helper(client):
    with client.chat.completions.stream(model="m", messages=MESSAGES) as events:
        for _ in events:
            pass
        return message(events.get_final_completion())


def usage(client):
    options = {"include_usage": True}
    with client.chat.completions.stream(model="m", messages=MESSAGES, stream_options=options) as events:
        for _ in events:
            pass
        return {"total": events.get_final_completion().usage.total_tokens}


def embeddings(client):
    data = client.embeddings.create(model="m", input=["a", "b"]).data
    sums = [sum(x * x for x in item.embedding) for item in data]
    norms = [round(norm, 3) if math.isfinite(norm) else None for norm in sums]
    return {"lengths": [len(item.embedding) for item in data], "norms": norms}


def refused(request):
    try:
        request()
    except APIStatusError as error:
        body = error.body
        return {"class": type(error).__name__, "message": isinstance(body, dict) and isinstance(body.get("message"), str)}
    return {}


def refused_chat(client):
    return refused(lambda: client.chat.completions.create(model="m", messages=MESSAGES, temperature=3))


def refused_embeddings(client):
    return refused(lambda: client.post("/embeddings", cast_to=object, body={"model": "m"}))


USES = [chat, parse, stream, helper, usage, embeddings, refused_chat, refused_embeddings]


def outcome(use, client):
    try:
        return {"value": use(client)}
    except Exception as error:  # Whatever a user of the client would see.
        return {"error": f"{type(error).__name__}: {error}"[:200]}


for address in sys.argv[1:]:
    client = OpenAI(base_url=f"{address}/v1", api_key="any", max_retries=0, timeout=10)
    print(json.dumps({use.__name__: outcome(use, client) for use in USES}))
