import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { closed, listenOnLoopback } from "../tests/support/targets/loopback-server.ts";
import { prefixNotice, requireReachable, requireTarget } from "./target.ts";

describe("a target", () => {
  test("that refuses connections is named with what to do", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await requireReachable(`http://127.0.0.1:${port}`);
    await new Promise((resolve) => server.close(resolve));
    await expect(requireReachable(`http://127.0.0.1:${port}`)).rejects.toThrow(
      `Cannot reach http://127.0.0.1:${port}: the connection was refused; nothing listens there (127.0.0.1 port ${port}). Check the address and that the service is running.`,
    );
  });

  test("that resets the connection is tried again", async () => {
    const failures = ["ECONNRESET", "ECONNRESET", undefined];
    const tried: string[] = [];
    await requireReachable("http://target.test:81", {}, {}, async (host, port) => {
      tried.push(`${host}:${port}`);
      const code = failures[tried.length - 1];
      return code === undefined ? undefined : { code, message: `connect ${code}` };
    });
    expect(tried).toEqual(Array(3).fill("target.test:81"));
  });

  test.each([
    ["ECONNRESET", 3, "the connection was reset while it was opened"],
    ["ECONNREFUSED", 1, "the connection was refused; nothing listens there"],
    ["EMFILE", 1, "this process cannot open another file or socket", /Raise the limit of open files \(ulimit -n/],
    ["EADDRNOTAVAIL", 1, "this machine has no free source port, or no address of the target's kind", /Lower the rate/],
    ["ENOTFOUND", 1, "the host name is not known", /Check the name, and the DNS resolver/],
    ["EAI_AGAIN", 1, "the host name could not be resolved: no name server responded", /DNS resolver/],
    ["ENETUNREACH", 1, "there is no route to the network", /Check the network and the firewall of the machine/],
  ])("that keeps failing with %s is tried %i times", async (code, times, reason, advice = /Check the address/) => {
    let tried = 0;
    const check = requireReachable("http://target.test:81", {}, {}, async () => {
      tried += 1;
      return { code, message: `connect ${code}` };
    });
    await expect(check).rejects.toThrow(`Cannot reach http://target.test:81: ${reason} (target.test port 81).`);
    await expect(check).rejects.toThrow(advice);
    expect(tried).toBe(times);
  });

  test("behind a proxy is not tried directly, and the proxy is, unless requests go past it", async () => {
    const environment = { HTTP_PROXY: "http://127.0.0.1:3128" };
    const refused = async () => ({ code: "ECONNREFUSED", message: "" });
    const says = (reach: object, target = "http://target.test:81") =>
      expect(requireReachable(target, reach, environment, refused)).rejects.toThrow;
    await says({})(
      /^Cannot reach the proxy of HTTP_PROXY that leads to http:\/\/target\.test:81: .* \(127\.0\.0\.1 port 3128\)\. .*NO_PROXY/,
    );
    await says({ direct: true })(/^Cannot reach http:\/\/target\.test:81: .* \(target\.test port 81\)/);
    await says({}, "http://127.0.0.1:1")(/^Cannot reach http:\/\/127\.0\.0\.1:1: /);
    await expect(requireReachable("http://target.test:81", {}, { HTTP_PROXY: "http://" }, refused)).rejects.toThrow(
      /^Cannot use the proxy of the environment variable HTTP_PROXY: its value is not the address of a proxy\. /,
    );
  });

  test("that ends with the prefix gets a notice", () => {
    expect(prefixNotice("http://h/v1", "http://h")).toContain("using http://h");
    expect(prefixNotice("http://h", "http://h")).toBeUndefined();
  });
});

describe("a target that is waited for", () => {
  const connect = async (listener: RequestListener) => {
    const server = createHttpServer(listener);
    onTestFinished(() => void server.close().closeAllConnections());
    const target = await listenOnLoopback(server);
    return { server, target, endpoints: [{ part: "chat" as const, connection: { target } }] };
  };

  test("is used once it responds as the service, and not while a gateway has no server for it", async () => {
    const statuses = [503, 502, 400];
    const said: string[] = [];
    const { target, endpoints } = await connect((_, response) => response.writeHead(statuses.shift() ?? 400).end("{}"));
    await requireTarget({ target, endpoints, waitFor: 3_600_000 }, (line) => said.push(line));
    expect(statuses).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^Waiting up to 1h for http.*the target returned 50[23]\./)]);
  });

  test("is given up at the end of that time, with what was last observed", async () => {
    const { server, target, endpoints } = await connect(() => undefined);
    await closed(server);
    const waited = requireTarget({ target, endpoints, waitFor: 1 }, () => undefined);
    await expect(waited).rejects.toThrow(/nothing listens there.*\(waited 1ms for http/);
  });
});
