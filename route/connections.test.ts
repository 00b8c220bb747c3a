/** Requests of Node over real proxies. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { SIZE_LIMITS } from "../formats/outcomes.ts";
import responses from "../scenarios/testdata/proxy-responses.json" with { type: "json" };
import { newFolder } from "../tests/support/commands/assay-process.ts";
import { forwardProxy, type ProxyRules } from "../tests/support/targets/forward-proxy.ts";
import { listenOnLoopback } from "../tests/support/targets/loopback-server.ts";
import { serveInTest } from "../tests/support/targets/serve-in-test.ts";
import { certificatesIn, trustedCertificates } from "./certificates.ts";
import { Connections } from "./connections.ts";
import { isOfProxy } from "./proxy-response.ts";
import type { Environment } from "./proxy-rules.ts";
import { describeRoute, type Reach, routeTo } from "./route.ts";

const pem = (name: string): string => readFileSync(new URL(`./testdata/${name}.pem`, import.meta.url), "utf8");
/** Of a root, an intermediate, and a server and a client below them, for 100 years. */
const CA = fileURLToPath(new URL("./testdata/ca.pem", import.meta.url));

const testFile = (name: string): string => fileURLToPath(new URL(`./testdata/${name}.pem`, import.meta.url));
const CLIENT = { clientCert: testFile("client"), clientKey: testFile("client-key") };

/** A server on loopback that repeats the address and the credentials that came; `mTLS` asks for a certificate. */
async function target(scheme: "http" | "https" | "mTLS"): Promise<number> {
  const listener: RequestListener = ({ url, headers }, response) =>
    void response.end(`${url} ${headers["proxy-authorization"] ?? "alone"}`);
  const server =
    scheme === "http"
      ? createServer(listener)
      : createTlsServer(
          { cert: pem("server"), key: pem("server-key"), ca: pem("ca"), requestCert: scheme === "mTLS" },
          listener,
        );
  return Number(new URL(await serveInTest(server)).port);
}

/** What comes of a request: the body, or what failed. */
async function ask(address: string, env: Environment, reach: Reach = {}): Promise<string> {
  const connections = new Connections(reach, env);
  onTestFinished(() => connections.destroy());
  try {
    const { statusCode, body } = await connections.request(address, { method: "GET", headers: { "x-team": "a" } });
    return `${statusCode} ${await body.text()}`;
  } catch (error) {
    return String(error);
  }
}

type Row = readonly [string, "http" | "https", ProxyRules, string, string | RegExp];
const PASSED = /^200 \/v1\/x\?y=1 alone$/;

test.each<Row>([
  ["forwards", "http", {}, "", PASSED],
  ["tunnels", "https", {}, "", PASSED],
  ["tunnels to 443 only, and forwards", "http", { only443: true }, "", PASSED],
  ["tunnels to 443 only, to another port", "https", { only443: true }, "", /ProxyRefusal: .* status 403$/],
  ["asks for a password, and forwards", "http", { user: "ann:p@s/s" }, "ann:p@s/s@", PASSED],
  ["asks for a password, and tunnels", "https", { user: "ann:p@s/s" }, "ann:p%40s%2Fs@", PASSED],
  ["asks for a password that http lacks", "http", { user: "ann:pass" }, "", /ProxyRefusal: .* status 407$/],
  ["asks for a password that https lacks", "https", { user: "ann:pass" }, "bob:pass@", /ProxyRefusal: .* status 407$/],
  ["refuses, and says so", "http", { refusal: { status: 403, headers: { server: "squid/6" } } }, "", /ProxyRefusal/],
  ["passes a refusal on", "http", { refusal: { status: 403 } }, "", "403 of the proxy"],
])("a proxy that %s", async (_, scheme, rules, user, expected) => {
  const port = await target(scheme);
  const proxy = await forwardProxy(rules);
  const variable = proxy.url.replace("://", `://${user}`);
  const env = { [scheme === "http" ? "http_proxy" : "https_proxy"]: variable };
  const answer = await ask(`${scheme}://svc.test:${port}/v1/x?y=1`, env, { caFile: CA });
  expect(answer).toMatch(expected);
  expect(answer).not.toContain("pass@");
  expect(proxy.asked).toEqual([scheme === "http" ? `http://svc.test:${port}/v1/x?y=1` : `CONNECT svc.test:${port}`]);
});

test("headers are read up to the size that a load reads", async () => {
  const origin = await serveInTest(({ url }, response) =>
    response.writeHead(200, { "x-long": "x".repeat(Number(url?.slice(1))) }).end("read"),
  );
  expect(await ask(`${origin}/${SIZE_LIMITS.headers - 1_000}`, {})).toBe("200 read");
  expect(await ask(`${origin}/${SIZE_LIMITS.headers + 1_000}`, {})).toMatch("HeadersOverflowError");
});

test("a server that speaks HTTP/2 alone is asked so, by requests at one time and through a tunnel", async () => {
  const server = createSecureServer({ cert: pem("server"), key: pem("server-key"), allowHTTP1: false });
  server.on("request", ({ httpVersion }, response) => void response.end(httpVersion));
  onTestFinished(() => void server.close());
  const { port } = new URL(await listenOnLoopback(server));
  const connections = new Connections({ caFile: CA }, {});
  onTestFinished(() => connections.destroy());
  const versions = [1, 2, 3].map(async () => {
    const { body } = await connections.request(`https://localhost:${port}/`, { method: "GET" });
    return body.text();
  });
  expect(await Promise.all(versions)).toEqual(["2.0", "2.0", "2.0"]);
  const env = { https_proxy: (await forwardProxy()).url };
  expect(await ask(`https://svc.test:${port}/`, env, { caFile: CA })).toBe("200 2.0");
});

test("loopback, an excluded host and a route past the proxies have none", async () => {
  const port = await target("http");
  const proxy = await forwardProxy();
  const env = { HTTP_PROXY: proxy.url };
  expect(await ask(`http://127.0.0.1:${port}/v1/x?y=1`, env)).toMatch(PASSED);
  expect(await ask(`http://localhost:${port}/v1/x?y=1`, env)).toMatch(PASSED);
  expect(await ask(`http://svc.invalid:${port}/`, { ...env, NO_PROXY: "*" })).toMatch(/ENOTFOUND|EAI_AGAIN/);
  expect(await ask(`http://svc.invalid:${port}/`, env, { direct: true })).toMatch(/ENOTFOUND|EAI_AGAIN/);
  expect(proxy.asked).toEqual([]);
});

test.each(responses)("a response of a proxy itself: $name", ({ status, headers, own }) => {
  expect(isOfProxy(status, { ...headers })).toBe(own);
});

test.each<readonly [string, Environment, Reach, RegExp]>([
  ["of the CA file", {}, { caFile: CA }, PASSED],
  [
    "of an intermediate alone",
    {},
    { caFile: fileURLToPath(new URL("./testdata/intermediate.pem", import.meta.url)) },
    PASSED,
  ],
  ["of NODE_EXTRA_CA_CERTS", { NODE_EXTRA_CA_CERTS: CA }, {}, PASSED],
  ["of SSL_CERT_FILE", { SSL_CERT_FILE: CA }, {}, PASSED],
  ["of SSL_CERT_DIR", { SSL_CERT_DIR: dirname(CA) }, {}, PASSED],
  ["of nobody", {}, {}, /unable to|self-signed/],
  ["that any will do", {}, { insecure: true }, PASSED],
  [
    "of a file that is not there",
    { NODE_EXTRA_CA_CERTS: "/no/ca.pem" },
    {},
    /UsageError: .*\/no\/ca\.pem.*NODE_EXTRA_CA_CERTS/,
  ],
  ["of a folder that is not there", { SSL_CERT_DIR: "/no" }, {}, /UsageError: .*\/no: .*SSL_CERT_DIR/],
])("a certificate is trusted: %s", async (_, env, reach, expected) => {
  expect(await ask(`https://localhost:${await target("https")}/v1/x?y=1`, env, reach)).toMatch(expected);
});

test.each<readonly [string, Reach, RegExp]>([
  ["is shown", CLIENT, PASSED],
  ["may be in one file with its key", { clientCert: "both.pem" }, PASSED],
  ["is missing", {}, /other side closed|certificate required/],
  [
    "is missing, with a key",
    { clientKey: CLIENT.clientKey },
    /client-key\.pem of --client-key alone: name .*--client-cert/,
  ],
  ["is no file", { ...CLIENT, clientCert: "/no.pem" }, /certificates from \/no\.pem: .*--client-cert/],
  ["has a key that is no file", { ...CLIENT, clientKey: "/no.pem" }, /private key \/no\.pem: .*--client-key/],
  ["has no key", { clientCert: CLIENT.clientCert }, /client\.pem: it holds no private key .*--client-key/],
  [
    "has the key of another",
    { ...CLIENT, clientKey: testFile("server-key") },
    /not that of its first certificate \(CN=T/,
  ],
  [
    "has an encrypted key",
    { ...CLIENT, clientKey: "encrypted.pem" },
    /it is encrypted\. Decrypt it with openssl pkey -in/,
  ],
])("the certificate of the client %s", async (_, reach, expected) => {
  const folder = newFolder();
  const key = createPrivateKey(pem("client-key"));
  const encrypted = key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" });
  writeFileSync(join(folder, "encrypted.pem"), encrypted);
  writeFileSync(join(folder, "both.pem"), pem("client") + pem("client-key"));
  const inFolder = (file: string | undefined) => file && (file.startsWith("/") ? file : join(folder, file));
  const { clientCert, clientKey } = reach;
  const files = { caFile: CA, clientCert: inFolder(clientCert), clientKey: inFolder(clientKey) };
  expect(await ask(`https://localhost:${await target("mTLS")}/v1/x?y=1`, {}, files)).toMatch(expected);
});

test("a name leads to the addresses that are stated for it and its port, that of a proxy too", async () => {
  const [port, proxy] = [await target("http"), await forwardProxy()];
  const at = (...names: string[]): Reach => ({ resolve: names.map((name) => `${name}:127.0.0.1`) });
  const url = `http://Svc.invalid:${port}/v1/x?y=1`;
  expect(await ask(url, {}, at(`svc.invalid:${port}`))).toMatch(PASSED);
  expect(await ask(url, {}, at("svc.invalid:1"))).toMatch(/ENOTFOUND|EAI_AGAIN/);
  const { port: proxyPort } = new URL(proxy.url);
  const env = { HTTP_PROXY: `http://proxy.invalid:${proxyPort}` };
  expect(await ask(url, env, at(`proxy.invalid:${proxyPort}`))).toMatch(PASSED);
  expect(describeRoute(routeTo(url, at(`svc.invalid:${port}`), {}))).toMatch(/without a proxy at 127\.0\.0\.1$/);
});

test("a CA file may have a byte order mark and line ends of Windows, and one in DER form is named as such", async () => {
  const folder = newFolder();
  const marked = join(folder, "marked.pem");
  writeFileSync(marked, `\uFEFF${pem("ca").replaceAll("\n", "\r\n")}`);
  expect(await ask(`https://localhost:${await target("https")}/v1/x?y=1`, {}, { caFile: marked })).toMatch(PASSED);
  const der = join(folder, "ca.der");
  writeFileSync(der, new X509Certificate(pem("ca")).raw);
  expect(() => certificatesIn(der)).toThrow(/ca\.der: it is a certificate in DER form; convert it with openssl x509 /);
});

test("with SSL_CERT_FILE and SSL_CERT_DIR, the certificates of the system are left out", () => {
  const both = trustedCertificates(undefined, { SSL_CERT_FILE: CA, SSL_CERT_DIR: dirname(CA) });
  expect(both.length).toBeLessThan(trustedCertificates(undefined, { SSL_CERT_FILE: CA }).length / 2);
});
