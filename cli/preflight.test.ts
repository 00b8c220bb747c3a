/** What is said of a target before a run, and which targets are not refused. */

import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { fileURLToPath } from "node:url";
import { generateCACertificate } from "mockttp";
import { expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../tests/support/targets/loopback-server.ts";
import { serveInTest } from "../tests/support/targets/serve-in-test.ts";
import { requireService } from "./preflight.ts";
import { refusedHeader } from "./refused-header.ts";

const testFile = (name: string): string => fileURLToPath(new URL(`../route/testdata/${name}.pem`, import.meta.url));
const pem = (name: string): string => readFileSync(testFile(name), "utf8");

async function serve(listener: RequestListener): Promise<string> {
  return serveInTest(listener);
}

async function serveSecurely(listener: RequestListener): Promise<string> {
  const { key, cert } = await generateCACertificate();
  const server = createSecureServer({ key, cert }, listener);
  return (await serveInTest(server)).replace("http:", "https:");
}

type Respond = Parameters<RequestListener>;

const responding =
  (status: number, body = "", headers: Record<string, string> = {}) =>
  (_: unknown, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

const check = (target: string, more: object = { apiKey: "key-of-the-user" }): Promise<readonly string[]> =>
  requireService((["chat", "embeddings"] as const).map((part) => ({ part, connection: { target, ...more } })));

const PAGE = "<!doctype html><title>A site</title>";

test.each<[string, RequestListener, RegExp]>([
  [
    "a page for people",
    responding(200, PAGE),
    /^Cannot start: POST \S+\/v1\/chat\/completions: the target returned 200 with an HTML or XML page\. Check the address/,
  ],
  ["the page of a server that knows no such path", responding(404, "<html>404</html>"), /returned 404 with an HTML/],
  ["a path that is not known", responding(404, '{"detail":"Not Found"}'), /returned 404 with .*Check the address/],
  ["a method that is not known", responding(405), /the target returned 405/],
  ["a server of files, which takes no POST", responding(501, PAGE), /the target returned 501 with an HTML/],
  [
    "a key that is refused",
    responding(401),
    /the target refused the API key \(401\); it gives no reason, so a login .* Put a key .* into ASSAY_API_KEY/,
  ],
  [
    "a key that a gateway refuses with a page",
    responding(403, PAGE),
    /the target returned 403 with an HTML or XML page: a firewall or gateway before it refuses the request, .* Put a key/,
  ],
])("%s is refused with a sentence", async (_, listener, says) => {
  await expect(check(await serve(listener))).rejects.toThrow(says);
});

test("a redirect is refused with the address to which it leads", async () => {
  const target = await serve((request, response) =>
    response.writeHead(301, { location: `https://inference.example/api${request.url}/` }).end(),
  );
  await expect(check(target)).rejects.toThrow("Run it again with --target https://inference.example/api");
});

test("a redirect to a login is refused with what may have sent it", async () => {
  const target = await serve(responding(302, "", { location: "https://login.example/authorize?client=x" }));
  await expect(check(target)).rejects.toThrow(
    /returned 302 with the location .* Check the address: .* If it is right, a login or gateway before the service responds: let/,
  );
});

test("embeddings that are absent may be none that this deployment has", async () => {
  const target = await serve(responding(404));
  const endpoint = { part: "embeddings", connection: { target, apiKey: "key-of-the-user" } } as const;
  await expect(requireService([endpoint])).rejects.toThrow(
    /Check the address: .* this deployment has no embeddings\.$/,
  );
});

test("an address with the path of an endpoint is refused with the base address", async () => {
  const target = await serve((request, response) =>
    responding(request.url === "/v1/chat/completions" ? 200 : 404)(request, response),
  );
  await expect(check(`${target}/v1/chat/completions`)).rejects.toThrow(`Run it again with --target ${target}`);
});

test("https on a port without TLS is refused with http", async () => {
  const target = await serve(responding(200));
  await expect(check(target.replace("http:", "https:"))).rejects.toThrow(
    `does not speak TLS (https). Run it again with --target ${target}`,
  );
});

test("http on a port with TLS is refused with https", async () => {
  const target = await serveSecurely(responding(200));
  await expect(check(target.replace("https:", "http:"))).rejects.toThrow(`Run it again with --target ${target}`);
});

test("a certificate of a CA that is not known is refused with what accepts it", async () => {
  const target = await serveSecurely(responding(400, "{}"));
  await expect(check(target)).rejects.toThrow(
    /the certificate of \S+ is not accepted: .*--ca-file FILE, or accept any certificate with --insecure/,
  );
  expect(await check(target, { insecure: true })).toEqual([]);
});

/** A server of which each connection gets an alert of TLS. */
async function alerting(code: number): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).once("data", () => void socket.end(Buffer.from([21, 3, 3, 0, 2, 2, code])));
  });
  onTestFinished(() => void server.close());
  return (await listenOnLoopback(server)).replace("http:", "https:");
}

const CLIENT = { clientCert: testFile("client"), clientKey: testFile("client-key") };

test.each<[number, object, RegExp]>([
  [116, {}, /requires a client certificate \(alert "certificate required"\)\. Name one with --client-cert FILE/],
  [42, {}, /requires a client certificate \(alert "bad certificate"\)/],
  [
    48,
    CLIENT,
    /does not accept the client certificate CN=Test Client of .*client\.pem, valid until .* \(alert "unknown ca"\)/,
  ],
  [40, {}, /refuses the TLS handshake \(alert "handshake failure"\)\. It may require a client certificate/],
  [70, {}, /refuses the TLS handshake \(alert "protocol version"\)\. Assay speaks TLS 1\.2 and 1\.3/],
])("an alert %i in the handshake is refused with its cause", async (code, more, says) => {
  await expect(check(await alerting(code), more)).rejects.toThrow(says);
});

test("an alert about the protocol, which k6 may not get, is not refused", async () => {
  expect(await check(await alerting(120))).toEqual([]);
});

test("a target that requires a client certificate is named", async () => {
  const files = { key: pem("server-key"), cert: pem("server"), ca: pem("ca"), requestCert: true };
  const server = createSecureServer(files, responding(400, "{}"));
  const target = (await serveInTest(server)).replace("http:", "https:");
  const caFile = testFile("ca");
  await expect(check(target, { caFile })).rejects.toThrow(
    /requires a client certificate \(alert "certificate required"\)\. Name one/,
  );
  expect(await check(target, { caFile, ...CLIENT })).toEqual([]);
  const page = await serveSecurely(
    responding(400, "<html><center>No required SSL certificate was sent</center></html>"),
  );
  await expect(check(page, { insecure: true })).rejects.toThrow(/requires a client certificate \(400 with a page/);
});

test("an expired certificate is named, that of the CA too", async () => {
  const both = pem("of-expired-ca");
  const server = createSecureServer({ key: both, cert: both }, responding(400, "{}"));
  const target = (await serveInTest(server)).replace("http://127.0.0.1", "https://localhost");
  await expect(check(target, { caFile: testFile("expired-ca") })).rejects.toThrow(
    /is not accepted: certificate has expired \(that of a CA above the target's, CN=Test Expired Root, until Jan {2}1 00:00:00 2021 GMT\)/,
  );
});

test.each<[string, RequestListener]>([
  ["refuses what it is sent", responding(400, '{"error":{"message":"model is required"}}')],
  ["accepts everything", responding(200, "{}")],
  ["is busy", responding(429)],
  ["is broken", responding(500)],
  ["is behind a gateway that finds it gone", responding(503, PAGE)],
  ["does not know a model", responding(404, '{"error":{"message":"the model null does not exist"}}')],
  ["closes connections", (_, response) => void response.destroy()],
  [
    "takes the key without Bearer only",
    (request, response) =>
      responding(request.headers.authorization === "key-of-the-user" ? 400 : 401)(request, response),
  ],
  [
    "refuses once",
    (() => {
      let count = 0;
      return (...args: Respond) => {
        count += 1;
        responding(count <= 2 ? 401 : 400)(...args);
      };
    })(),
  ],
])("a target that %s is not refused", async (_, listener) => {
  expect(await check(await serve(listener))).toEqual([]);
});

test("an endpoint that is absent beside others is named", async () => {
  const target = await serve((request, response) =>
    responding(request.url?.endsWith("embeddings") ? 404 : 400)(request, response),
  );
  expect(await check(target)).toEqual([
    `One of the endpoints may be missing. POST ${target}/v1/embeddings: the target returned 404 with an empty body. If this deployment has no such models, leave them out: assay conformance --only '*chat*', or assay load chat.`,
  ]);
});

test("an endpoint that refuses the key beside others is not said to be missing", async () => {
  const target = await serve((request, response) =>
    responding(request.url?.endsWith("embeddings") ? 401 : 400)(request, response),
  );
  expect(await check(target)).toEqual([
    expect.stringMatching(
      /^One of the endpoints refuses requests\. POST \S+\/v1\/embeddings: the target refused the API key/,
    ),
  ]);
});

test.each<[string, string, string]>([
  ["that it is not valid", "Incorrect API key", '(401): "Incorrect API key". Put a key'],
  [
    "that none came",
    "No API key was sent",
    '(401): "No API key was sent"; if none reached it, a proxy before it drops the header Authorization. Put a key',
  ],
])("what the target says of the key is quoted: %s", async (_, message, says) => {
  const target = await serve(responding(401, JSON.stringify({ error: { message } })));
  await expect(check(target)).rejects.toThrow(says);
});

test.each(["{}", ""])("a refusal that says nothing (%j) may be of a login before the service", async (body) => {
  const target = await serve(responding(401, body));
  const says = "; it gives no reason, so a login or gateway before the service may have refused the request. Put a key";
  await expect(check(target)).rejects.toThrow(says);
});

test("a reason in letters outside ASCII is one", async () => {
  await expect(check(await serve(responding(401, "未授权")))).rejects.toThrow('(401): "未授权". Put a key');
});

test("what the target says of an endpoint that is absent is quoted as it says it", async () => {
  const message = "This server does not support embeddings. Start it with `--embeddings`";
  const target = await serve((request, response) =>
    request.url?.endsWith("embeddings")
      ? responding(501, JSON.stringify({ error: { code: 501, message } }))(request, response)
      : responding(400)(request, response),
  );
  expect((await check(target)).join()).toContain(`the target returned 501 with "${message}". If`);
});

test("a server that asks for a user and a password is no service that refuses the key", async () => {
  const target = await serve(responding(401, PAGE, { "www-authenticate": 'Basic realm="Staging"' }));
  await expect(check(target)).rejects.toThrow("a user and a password are asked for (401, WWW-Authenticate: Basic)");
  expect(await check(target, {})).toEqual([]);
});

test("a proxy, which has no key, does not mind that one is missing", async () => {
  expect(await check(await serve(responding(401)), {})).toEqual([]);
  expect(await check(await serve(responding(401, PAGE)), {})).toEqual([]);
});

test("videos are asked for a task that does not exist: no task is created", async () => {
  const calls: string[] = [];
  const target = await serve((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    responding(404)(request, response);
  });
  expect(await requireService([{ part: "video", connection: { target } }])).toEqual([]);
  expect(calls).toEqual(["GET /v1/videos/generations/assay-preflight"]);
});

/** A service behind a server that makes a page of every refusal. */
const withPages =
  (prefix = "/v1"): RequestListener =>
  (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const isChat = request.url === `${prefix}/chat/completions`;
      if (isChat && body.includes('"messages"')) responding(200, '{"choices":[{}]}')(request, response);
      else if (request.url === `${prefix}/embeddings` && body.includes('"input"'))
        responding(200, '{"data":[{}]}')(request, response);
      else responding(request.url?.startsWith(`${prefix}/`) ? 400 : 404, PAGE)(request, response);
    });
  };

test("a service whose refusals are pages is not refused, since valid requests succeed", async () => {
  expect(await check(await serve(withPages()))).toEqual([]);
});

test("a service that has its paths without the prefix is not refused: conformance says what is wrong", async () => {
  expect(await check(await serve(withPages("")))).toEqual([]);
});

test("a page for an unknown video task says nothing; with it alone the run starts", async () => {
  const target = await serve(responding(404, PAGE));
  expect(await requireService([{ part: "video", connection: { target } }])).toEqual([]);
  const endpoints = (["video", "chat"] as const).map((part) => ({ part, connection: { target } }));
  await expect(requireService(endpoints)).rejects.toThrow("Check the address");
});

test("the key is not in what is said", async () => {
  const target = await serve((request, response) => responding(404, request.headers.authorization)(request, response));
  await expect(check(target)).rejects.not.toThrow("key-of-the-user");
});

test.each<[string, (headers: IncomingHttpHeaders) => boolean, RegExp | undefined]>([
  [
    "an id",
    (headers) => "x-request-id" in headers,
    /header x-request-id .*\(200\), and refused with it \(400\)\. Leave it/,
  ],
  [
    "a sender",
    ({ "user-agent": agent }) => agent?.startsWith("assay") === true,
    /or replace it with --header user-agent=/,
  ],
  ["what is not of Assay", () => true, undefined],
  ["nothing", () => false, undefined],
])("a header that a target refuses is found: %s", async (_, refuses, says) => {
  const completion = {
    id: "c",
    object: "chat.completion",
    choices: [{ message: { role: "assistant", content: "hi" } }],
  };
  const target = await serve(({ headers }, response) =>
    refuses(headers)
      ? responding(400)(undefined, response)
      : responding(200, JSON.stringify(completion))(undefined, response),
  );
  const found = await refusedHeader([{ part: "chat", connection: { target } }]);
  if (says === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(says);
});
