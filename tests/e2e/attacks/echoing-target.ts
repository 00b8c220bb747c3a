/** A target that repeats the secrets it gets, in every encoding, wherever a response has room for text. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { encodingsOf } from "../../support/secrets/secret-encodings.ts";

/** Makes a server that has not started. Two of three responses are nearly those of the specification. */
export function echoingTarget(): Server {
  let served = 0;
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      served += 1;
      respond(request, response, Buffer.concat(chunks).toString("utf8"), served);
    });
    response.on("error", () => undefined);
  });
}

function respond(request: IncomingMessage, response: ServerResponse, body: string, n: number): void {
  const path = request.url ?? "";
  const key = (request.headers.authorization ?? "").replace(/^Bearer /, "");
  const secrets = [key, String(request.headers["x-team"] ?? "")].filter((secret) => secret.length >= 8);
  const encoded = secrets.flatMap((secret) => Object.values(encodingsOf(secret)));
  const echo = encoded.length === 0 ? "nothing" : (encoded[n % encoded.length] ?? "");
  const all = encoded.join(" ");
  for (const [name, value] of [
    ["x-echo", echo],
    ["retry-after", echo],
    ["x-request-id", all],
    ["set-cookie", `key=${echo}`],
  ] as const) {
    if (/^[\x20-\x7e]*$/.test(value)) response.setHeader(name, value);
  }
  const status = (code: number): void => {
    response.statusCode = code;
    response.statusMessage = echo;
  };
  const send = (code: number, type: string, body: string | Buffer): void => {
    status(code);
    response.setHeader("content-type", type);
    response.end(body);
  };
  const json = (code: number, value: unknown): void => send(code, "application/json", JSON.stringify(value));
  const kind = n % 3 === 0 ? (n / 3) % 8 : 0;
  // Texts of many lengths before the secret, so that every place in it is where an excerpt ends.
  const padding = "x".repeat((n * 7) % 170);
  if (kind === 1)
    json(n % 3 === 0 ? 401 : 400, { error: { message: `${padding} ${echo} ${all}`, type: echo, code: echo } });
  else if (kind === 2) send(500, "text/html", `<p title="${echo}">${padding}${all}`);
  else if (kind === 3)
    send(200, "application/json", Buffer.concat([Buffer.from([0xff]), gzipSync(all), Buffer.from(echo)]));
  else if (kind === 4) send(200, "application/json", `{"choices": ${padding}${echo}`);
  else if (kind === 5) {
    status(200);
    response.setHeader("content-type", path.includes("chat") ? "text/event-stream" : "application/json");
    response.write(`data: {"id":"${padding}${key.slice(0, (n % (key.length + 1)) + 1)}`);
    setImmediate(() => response.destroy());
  } else if (kind === 0 && path.includes("/embeddings")) {
    const { length } = body
      .match(/"input":\[[^\]]*/)?.[0]
      .match(/"[^"]*"/g)
      ?.slice(1) ?? [""];
    const data = Array.from({ length }, (_, index) => ({ object: "embedding", index, embedding: [0.5, 1] }));
    json(200, { object: "list", model: echo, data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  } else if (kind === 0 && path.includes("/chat/") && !/"stream":\s*true/.test(body)) {
    const choices = [{ index: 0, message: { role: "assistant", content: all }, finish_reason: "stop" }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    json(200, { id: echo, object: "chat.completion", created: 1, model: echo, choices, usage });
  } else if (path.includes("/embeddings")) {
    const data = [{ object: echo, index: 0, embedding: kind === 6 ? echo : [0.5] }];
    json(200, { object: echo, model: all, data, usage: { prompt_tokens: echo } });
  } else if (path.includes("/chat/")) chat(response, { echo, all, key, kind, padding }, status);
  else {
    const id = `task-${n}-${kind === 6 ? encodeURIComponent(echo) : key}`;
    const error = { message: all };
    if (path.endsWith("/cancel")) json(n % 2 === 0 ? 200 : 409, { id, status: "cancelled", error });
    else if (request.method === "GET") {
      const state = ["processing", echo, "completed"][n % 3];
      json(200, { id, status: state, model: echo, progress: 50, error, output: { url: `http://host/?k=${echo}` } });
    } else json(202, { id, object: echo, status: "processing", model: all, created_at: 1 });
  }
}

interface Echo {
  readonly echo: string;
  readonly all: string;
  readonly key: string;
  readonly kind: number;
  readonly padding: string;
}

function chat(response: ServerResponse, { echo, all, key, kind, padding }: Echo, status: (code: number) => void): void {
  status(200);
  if (kind === 7) {
    const message = { role: echo, content: all };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ id: echo, model: all, choices: [{ index: 0, message, finish_reason: padding + echo }] }),
    );
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  const event = (choice: object): string =>
    `data: ${JSON.stringify({ id: echo, model: echo, choices: [{ index: 0, ...choice }] })}\n\n`;
  const text = [
    `: ${all}\n`,
    `event: ${echo.replace(/\s/g, "")}\nid: ${echo}\n`,
    event({ delta: { role: "assistant", content: echo } }),
    ...(kind === 6 ? [`data: ${padding}${echo} ${all}\n\n`] : []),
    ...[...key].map((character) => event({ delta: { content: character } })),
    event({ delta: { content: key }, finish_reason: `${"y".repeat(padding.length % 60)}${echo}` }),
    `data: ${JSON.stringify({ usage: { completion_tokens: echo, [echo]: echo }, choices: [] })}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
  // In pieces, each of which ends within a secret somewhere.
  const pieces = Array.from({ length: 8 }, (_, at) => text.slice((text.length * at) / 8, (text.length * (at + 1)) / 8));
  const next = (): void => {
    const piece = pieces.shift();
    if (piece === undefined) return void response.end();
    response.write(piece);
    setImmediate(next);
  };
  next();
}
