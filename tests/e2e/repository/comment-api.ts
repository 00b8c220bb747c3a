/** Plays the part of the REST APIs of GitHub and GitLab that lists, writes and edits comments. */

import { createServer, type IncomingMessage } from "node:http";
import { z } from "zod";
import { serveInTest } from "../../support/targets/serve-in-test.ts";

export interface PlayedComment {
  readonly id: number;
  body: string;
}

const written = z.object({ body: z.string() });

/** Starts it with comments of others; it takes one token only. */
export async function startCommentApi(token: string, others: readonly string[] = []) {
  const comments: PlayedComment[] = others.map((body, id) => ({ id, body }));
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    requests.push(`${request.method} ${path}`);
    const send = (status: number, value: unknown): void => void response.writeHead(status).end(JSON.stringify(value));
    const given = request.headers.authorization ?? request.headers["private-token"];
    if (given !== `Bearer ${token}` && given !== token) return send(403, { message: "Resource not accessible" });
    if (request.method === "GET") {
      const page = Number(new URLSearchParams(query).get("page"));
      return send(200, comments.slice((page - 1) * 100, page * 100));
    }
    const { body } = written.parse(JSON.parse(await textOf(request)));
    const known = comments.find(({ id }) => path.endsWith(`/${id}`));
    if (request.method === "POST") comments.push({ id: 1_000 + comments.length, body });
    else if (known !== undefined) known.body = body;
    send(request.method === "POST" ? 201 : 200, {});
  });
  return { url: await serveInTest(server), comments, requests };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
