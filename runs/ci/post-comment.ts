/** The one comment of a gate on a pull request of GitHub or a merge request of GitLab: written once, then edited. */

import { z } from "zod";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { keepSecret } from "../../cli/secrets.ts";
import { boundedText } from "../../lib/bounded-text.ts";
import { parseJson } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { Connections } from "../../route/connections.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How comments are listed, written and edited. */
interface CommentApi {
  /** Address of the comments of the request. */
  readonly comments: string;
  readonly comment: (id: number) => string;
  readonly edit: "PATCH" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
}

const PER_PAGE = 100;
/** A request with more comments than these pages hold gets another comment. */
const MOST_PAGES = 50;
const PATIENCE_MS = 30_000;

/**
 * Writes the comment, or edits the one whose first line is the same.
 * @param text Markdown whose first line is the marker of the comment
 * @returns what was done, as a sentence
 * @throws UsageError outside a pull or merge request, and without a token
 * @throws InconclusiveError when the comment could not be written
 */
export async function postComment(text: string, env: Environment = process.env): Promise<string> {
  const api = apiOf(env);
  const [marker = ""] = text.split("\n");
  const send = requester(api);
  try {
    const earlier = await findComment(send, api, marker);
    if (earlier === undefined) await send("POST", api.comments, { body: text });
    else await send(api.edit, api.comment(earlier), { body: text });
    return earlier === undefined ? "Wrote the comment." : "Edited the comment.";
  } finally {
    await send.close();
  }
}

/** @throws UsageError that names what is missing */
function apiOf(env: Environment): CommentApi {
  return env["GITLAB_CI"] === "true" ? gitlab(env) : github(env);
}

const event = z.object({ pull_request: z.object({ number: z.int() }).optional() });

function github(env: Environment): CommentApi {
  const path = env["GITHUB_EVENT_PATH"];
  const number = path ? event.safeParse(parseJson(eventIn(path))).data?.pull_request?.number : undefined;
  const { GITHUB_API_URL: api, GITHUB_REPOSITORY: repository } = env;
  if (number === undefined || !api || !repository) {
    throw new UsageError(
      "Cannot write a comment: this is not a pull request of GitHub or a merge request of GitLab. Run it in a job of one.",
    );
  }
  const base = `${api}/repos/${repository}/issues`;
  return {
    comments: `${base}/${number}/comments`,
    comment: (id) => `${base}/comments/${id}`,
    edit: "PATCH",
    headers: {
      authorization: `Bearer ${tokenIn(env, "GITHUB_TOKEN", "give the job the permission pull-requests: write")}`,
      accept: "application/vnd.github+json",
    },
  };
}

function eventIn(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new UsageError(`Cannot read the event of this job in ${path} (GITHUB_EVENT_PATH): ${reasonOf(error)}.`);
  }
}

function gitlab(env: Environment): CommentApi {
  const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: request } = env;
  if (!api || !project || !request) {
    throw new UsageError("Cannot write a comment: this is not a merge request. Run it in a merge request pipeline.");
  }
  const notes = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(request)}/notes`;
  return {
    comments: notes,
    comment: (id) => `${notes}/${id}`,
    edit: "PUT",
    headers: { "private-token": tokenIn(env, "GITLAB_TOKEN", "use a project access token with the scope api") },
  };
}

function tokenIn(env: Environment, variable: string, advice: string): string {
  const token = env[variable];
  if (!token) throw new UsageError(`Cannot write a comment: ${variable} is not set. Set it to a token, and ${advice}.`);
  keepSecret([token]);
  return token;
}

type Send = (method: "GET" | "POST" | "PATCH" | "PUT", address: string, body?: object) => Promise<unknown>;

function requester(api: CommentApi): Send & { close: () => Promise<void> } {
  const connections = new Connections({});
  const send: Send = async (method, address, body) => {
    const attempt = `Cannot write the comment: ${method} ${address}`;
    const limit = timeLimit(PATIENCE_MS);
    try {
      const headers = { ...api.headers, "user-agent": "assay", "content-type": "application/json" };
      const { statusCode, body: read } = await connections.request(address, {
        method,
        headers,
        signal: limit.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await boundedText(read, MOST_BYTES);
      if (text === undefined) throw new Error("the response is longer than 64 MiB");
      if (statusCode < 300) return parseJson(text);
      throw new InconclusiveError(
        `${attempt} returned ${statusCode}, ${shorten(text, 200)}. Check the token's rights.`,
      );
    } catch (error) {
      if (error instanceof InconclusiveError) throw error;
      throw new InconclusiveError(`${attempt} failed: ${error instanceof Error ? error.message : String(error)}.`);
    } finally {
      limit.clear();
    }
  };
  return Object.assign(send, { close: () => connections.close() });
}

/** A page of comments of the greatest length takes 26 MB. */
const MOST_BYTES = 64 << 20;

const listed = z.array(z.object({ id: z.int(), body: z.string().nullish() }));

async function findComment(send: Send, { comments }: CommentApi, marker: string): Promise<number | undefined> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const address = `${comments}?per_page=${PER_PAGE}&page=${page}`;
    const { data: found } = listed.safeParse(await send("GET", address));
    if (found === undefined) {
      throw new InconclusiveError(
        `Cannot write the comment: GET ${address} returned no list of comments. Check the address of the API that the job names.`,
      );
    }
    const own = found.find(({ body }) => body?.startsWith(marker));
    if (own !== undefined) return own.id;
    if (found.length < PER_PAGE) break;
  }
  return undefined;
}
