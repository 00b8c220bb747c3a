/** Every command reaches its target on one route, whichever of the two clients sends: proxies, certificates and addresses with a row each. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { assay, type Ended, newFile, newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { forwardProxy, type ProxyRules } from "../../support/targets/forward-proxy.ts";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { serveInTest } from "../../support/targets/serve-in-test.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  load: ["load", "chat", "--rate", "10", "--duration", "1s", "--warmup", "0", ...FEW_UNITS],
  conformance: ["conformance", "--only", "chat.minimal,chat.status", "--profile", "openai"],
};

let target: string;
beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant")).url;
});

/** The exit code, and what was said; a machine too busy for the timing of a load has sent it on its route all the same. */
const endOf = ({ code, stdout, stderr }: Ended): [number | null, string] => [
  stdout.includes("CLIENT-LIMITED") ? 0 : code,
  stdout + stderr,
];

interface Row {
  readonly name: string;
  readonly rules?: ProxyRules;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of both commands. */
  readonly code: number;
  readonly says?: RegExp;
  readonly isAsked: boolean;
}

const ROWS: readonly Row[] = [
  { name: "that tunnels to 443 only", rules: { only443: true }, code: 0, isAsked: true },
  { name: "that knows the user", rules: { user: "ann:p@s/s-0123" }, user: "ann:p@s/s-0123@", code: 0, isAsked: true },
  {
    name: "that asks for a user",
    rules: { user: "ann:x" },
    code: 2,
    says: /proxy \S+ .*returned status 407/,
    isAsked: true,
  },
  {
    name: "that refuses",
    rules: { refusal: { status: 403, headers: { server: "tinyproxy/1.11" } } },
    code: 2,
    says: /proxy \S+ .*returned status 403/,
    isAsked: true,
  },
  { name: "that cannot be read", env: { HTTP_PROXY: "http://" }, code: 3, says: /variable HTTP_PROXY/, isAsked: false },
];

describe.each(ROWS)("a proxy $name", ({ rules, user = "", env, code, says, isAsked }) => {
  test.each(Object.keys(COMMANDS))("%s", async (command) => {
    const proxy = await forwardProxy(rules);
    const { port } = new URL(target);
    const variables = env ?? { HTTP_PROXY: proxy.url.replace("://", `://${user}`) };
    const args = [...(COMMANDS[command] ?? []), "--target", `http://svc.test:${port}`, "--out", newFolder()];
    const ended = await assay(args, { ASSAY_API_KEY: "k", ...variables });
    expect(endOf(ended)).toEqual([code, expect.stringMatching(says ?? "")]);
    expect(ended.stdout + ended.stderr).not.toContain("s-0123");
    expect(proxy.asked.length > 0).toBe(isAsked);
    expect(proxy.asked.filter((each) => !each.startsWith(`http://svc.test:${port}/`))).toEqual([]);
  });
});

const testFile = (name: string): string =>
  fileURLToPath(new URL(`../../../route/testdata/${name}.pem`, import.meta.url));
const CLIENT = ["--client-cert", testFile("client"), "--client-key", testFile("client-key")];

/** A server with TLS before another one, which requires a certificate of its clients; its port. */
async function requiringCertificate(url: string): Promise<string> {
  const [cert, key, ca] = ["server", "server-key", "ca"].map((name) => readFileSync(testFile(name), "utf8"));
  const server = createServer({ cert, key, ca, requestCert: true }, (socket) => {
    const behind = connect(Number(new URL(url).port), "127.0.0.1");
    behind.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.on("error", () => behind.destroy()).on("close", () => behind.destroy());
    socket.pipe(behind).pipe(socket);
  });
  onTestFinished(() => void server.close());
  return new URL(await listenOnLoopback(server)).port;
}

describe.each<readonly [string, boolean, readonly string[], number, RegExp]>([
  ["at a stated address, with one", false, CLIENT, 0, /PASSED|CLIENT-LIMITED|CONFORMS/],
  ["at a stated address, without one", false, [], 2, /requires a client certificate \(alert "certificate required"\)/],
  ["through a tunnel, without one", true, [], 2, /requires a client certificate/],
  ["through a tunnel, with one", true, CLIENT, 0, /PASSED|CLIENT-LIMITED|CONFORMS/],
])("a target that requires a certificate, %s", (_, isTunnel, flags, code, says) => {
  test.each(Object.keys(COMMANDS))("%s", async (command) => {
    const [port, proxy] = [await requiringCertificate(target), await forwardProxy()];
    const route = isTunnel ? [] : ["--resolve", `svc.test:${port}:127.0.0.1`];
    const reached = ["--target", `https://svc.test:${port}`, "--ca-file", testFile("ca"), ...flags, ...route];
    const env = { ASSAY_API_KEY: "k", ...(isTunnel && { HTTPS_PROXY: proxy.url }) };
    const out = newFolder();
    const ended = await assay([...(COMMANDS[command] ?? []), ...reached, "--out", out], env);
    expect(endOf(ended)).toEqual([code, expect.stringMatching(says)]);
    expect(proxy.asked.length > 0).toBe(isTunnel);
    const files = code === 0 ? readdirSync(out, { withFileTypes: true }).filter((entry) => entry.isFile()) : [];
    for (const { name } of files) expect(readFileSync(join(out, name), "utf8")).not.toContain("PRIVATE KEY");
  });
});

/** A front of a service that keeps the headers that came; those of each request to the API. */
async function recording(url: string): Promise<{ readonly url: string; readonly heads: IncomingHttpHeaders[] }> {
  const heads: IncomingHttpHeaders[] = [];
  const server = createHttpServer((incoming, outgoing) => {
    const { method, headers, url: path = "" } = incoming;
    heads.push(headers);
    const onward = request(url + path, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward.on("error", () => outgoing.destroy()));
  });
  return { url: await serveInTest(server), heads };
}

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync("package.json", "utf8")));

describe("the headers that Assay adds", () => {
  const load = (name: string) => ["load", name, ...(COMMANDS["load"] ?? []).slice(2)];
  const canary = newFile("canary.txt", "What is the capital of France?\n");
  test.each<[string, readonly string[]]>([
    ["a load", load("chat")],
    ["a streamed load with canary prompts", [...load("chat-stream"), "--canary", canary]],
    ["conformance", COMMANDS["conformance"] ?? []],
  ])("are the same of every client, and can be left out: %s", async (_, args) => {
    const { url, heads } = await recording(target);
    const own = ["user-agent", "accept", "accept-encoding", "x-request-id"];
    const sent = async (...flags: string[]) => {
      heads.length = 0;
      const out = newFolder();
      const ended = await assay([...args, "--target", url, "--out", out, ...flags], { ASSAY_API_KEY: "k" });
      expect(endOf(ended)).toEqual([0, expect.any(String)]);
      return new Set(heads.map((head) => own.map((name) => String(head[name]).replace(UUID, "UUID")).join("|")));
    };
    const one = (accept: string) => `assay/${version}|${accept}|identity|UUID`;
    const kinds = [one("application/json"), one("text/event-stream")];
    expect([...(await sent())].filter((each) => !kinds.includes(each))).toEqual([]);
    const without = own.flatMap((name) => ["--without-header", name]);
    expect([...(await sent(...without))]).toEqual(["undefined|undefined|undefined|undefined"]);
  });
});

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
