/** What programs do with the official client for JavaScript: each use gives what it received, or throws. */

import OpenAI from "openai";
import { isObject } from "../../lib/json.ts";

const MODEL = { model: "m", messages: [{ role: "user" as const, content: "Say something." }] };

const words = (text: unknown): number | false => typeof text === "string" && text.split(/\s+/).filter(Boolean).length;

/** The members of a completion that programs read. */
function message({ object, created, id, choices }: OpenAI.ChatCompletion): object {
  const [choice] = choices;
  return {
    object,
    created: Number.isInteger(created),
    id: typeof id === "string",
    index: choice?.index,
    role: choice?.message.role,
    content: words(choice?.message.content),
    finish: choice?.finish_reason,
  };
}

/** Uses by name; the same as in `openai_strict.py`. */
const USES: Readonly<Record<string, (client: OpenAI) => Promise<object>>> = {
  chat: async (client) => message(await client.chat.completions.create(MODEL)),
  parse: async (client) => message(await client.chat.completions.parse(MODEL)),
  stream: async (client) => {
    let text = "";
    for await (const { choices } of await client.chat.completions.create({ ...MODEL, stream: true })) {
      text += choices.map(({ delta }) => delta.content ?? "").join("");
    }
    return { content: words(text) };
  },
  helper: async (client) => message(await client.chat.completions.stream(MODEL).finalChatCompletion()),
  usage: async (client) => {
    const options = { ...MODEL, stream_options: { include_usage: true } };
    return { total: (await client.chat.completions.stream(options).finalChatCompletion()).usage?.total_tokens };
  },
  embeddings: async (client) => {
    const { data } = await client.embeddings.create({ model: "m", input: ["a", "b"] });
    const norms = data.map(({ embedding }) => Number(embedding.reduce((sum, x) => sum + x * x, 0).toFixed(3)));
    return { lengths: data.map(({ embedding }) => embedding.length), norms };
  },
  refused_chat: (client) => refused(() => client.chat.completions.create({ ...MODEL, temperature: 3 })),
  refused_embeddings: (client) => refused(() => client.post("/embeddings", { body: { model: "m" } })),
};

/** The error of a request that is refused. */
async function refused(request: () => PromiseLike<unknown>): Promise<object> {
  try {
    await request();
    return {};
  } catch (thrown) {
    if (!(thrown instanceof OpenAI.APIError)) throw thrown;
    const error: unknown = thrown.error;
    return { class: thrown.constructor.name, message: isObject(error) && typeof error["message"] === "string" };
  }
}

/** What a use came to. */
export interface UseOutcome {
  readonly value?: unknown;
  readonly error?: string | undefined;
}

/** Every use, one after another. @param url base address, without `/v1` */
export async function useEverything(url: string): Promise<Record<string, UseOutcome>> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any", maxRetries: 0, timeout: 10_000, logLevel: "off" });
  const outcomes: Record<string, UseOutcome> = {};
  for (const [name, use] of Object.entries(USES)) {
    outcomes[name] = await use(client).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: String(error).slice(0, 200) }),
    );
  }
  return outcomes;
}
