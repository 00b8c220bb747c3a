import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { prefixNotice, requireReachable } from "./target.ts";

describe("a target", () => {
  test("that refuses connections is named with what to do", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await requireReachable(`http://127.0.0.1:${port}`, {});
    await new Promise((resolve) => server.close(resolve));
    await expect(requireReachable(`http://127.0.0.1:${port}`, {})).rejects.toThrow(
      `Cannot reach http://127.0.0.1:${port}: the connection was refused; nothing listens there (127.0.0.1 port ${port}). Check the address and that the service is running.`,
    );
  });

  test("that resets the connection is tried again", async () => {
    const failures = ["ECONNRESET", "ECONNRESET", undefined];
    const tried: string[] = [];
    await requireReachable("http://target.test:81", {}, async (host, port) => {
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
    const check = requireReachable("http://target.test:81", {}, async () => {
      tried += 1;
      return { code, message: `connect ${code}` };
    });
    await expect(check).rejects.toThrow(`Cannot reach http://target.test:81: ${reason} (target.test port 81).`);
    await expect(check).rejects.toThrow(advice);
    expect(tried).toBe(times);
  });

  test("behind a proxy is not tried directly", async () => {
    await requireReachable("http://127.0.0.1:1", { HTTP_PROXY: "http://127.0.0.1:3128" });
  });

  test("that ends with the prefix gets a notice", () => {
    expect(prefixNotice("http://h/v1", "http://h")).toContain("using http://h");
    expect(prefixNotice("http://h", "http://h")).toBeUndefined();
  });
});
