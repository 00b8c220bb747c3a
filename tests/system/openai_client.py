"""Uses the service with the openai client, as any program would, and prints what it received as one JSON object."""

import json

from openai import OpenAI

client = OpenAI()
messages = [{"role": "user", "content": "Say something."}]

chat = client.chat.completions.create(model="m", messages=messages)
pieces = [
    chunk.choices[0].delta.content
    for chunk in client.chat.completions.create(model="m", messages=messages, stream=True)
    if chunk.choices and chunk.choices[0].delta.content
]
embeddings = client.embeddings.create(model="m", input=["a", "b"])

print(
    json.dumps(
        {
            "chat": chat.choices[0].message.content,
            "stream": "".join(pieces),
            "chunks": len(pieces),
            "vectors": [len(item.embedding) for item in embeddings.data],
        }
    )
)
