import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { UsageError } from "../../settings/usage-error.ts";
import { mockFor, send } from "../../tests/support/targets/mock-client.ts";
import { openGateway } from "./gateway.ts";

const others = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === "IPv4")
  .map(({ address }) => address);

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const end = (reached: boolean) => () => {
      socket.destroy();
      resolve(reached);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}

describe("the internals of mockttp that the gateway uses", () => {
  it("are those of the pinned version", async () => {
    const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(manifest.devDependencies.mockttp).toBe("4.4.2");
  });

  it("leave a request to the gateway once, with the path as it was sent", async () => {
    const seen: string[] = [];
    const gateway = await openGateway("127.0.0.1", 0, async ({ target }, line) => {
      seen.push(target);
      line.head(299, {});
      line.end(Buffer.from("handed over"));
    });
    onTestFinished(() => gateway.stop());
    const got = await send({ url: `http://127.0.0.1:${gateway.port}` }, { path: "/a%20b?c=d" });
    expect([got.status, got.text, seen]).toEqual([299, "handed over", ["/a%20b?c=d"]]);
  });

  it("delivers each write separately while the handler continues", async () => {
    let release = () => {};
    const gateway = await openGateway("127.0.0.1", 0, async (_, line) => {
      line.head(200, {});
      line.write("first");
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      line.end(Buffer.from("second"));
    });
    onTestFinished(() => gateway.stop());
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/`);
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
    release();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("second");
  });

  it("has passed a write to the operating system on return, so that the recorded time is that of the write", async () => {
    const waiting: number[] = [];
    const gateway = await openGateway("127.0.0.1", 0, async ({ message }, line) => {
      line.head(200, {});
      for (const part of ["first", Buffer.from("second"), "東京"]) {
        line.write(part);
        waiting.push(message.socket.writableLength);
      }
      line.end();
    });
    onTestFinished(() => gateway.stop());
    const got = await send({ url: `http://127.0.0.1:${gateway.port}` }, { path: "/" });
    expect([got.text, waiting]).toEqual(["firstsecond東京", [0, 0, 0]]);
  });
});

describe("listening", () => {
  it("is on loopback only", async () => {
    const mock = await mockFor();
    expect(await reaches("127.0.0.1", mock.port)).toBe(true);
    expect(await reaches("127.0.0.2", mock.port)).toBe(false);
    for (const host of others) expect([host, await reaches(host, mock.port)]).toEqual([host, false]);
  });

  it.runIf(others.length > 0)("is on every interface when the host says so, the control path excepted", async () => {
    const mock = await mockFor({ host: "0.0.0.0" });
    const url = `http://${others[0]}:${mock.port}`;
    expect((await send({ url }, { path: "/v1/embeddings", body: { model: "m", input: "a" } })).status).toBe(200);
    expect((await send({ url }, { path: "/_mock/state" })).status).toBe(403);
    expect((await send(mock, { path: "/_mock/state" })).status).toBe(200);
  });

  it("refuses a port that is in use, with advice", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const failure = mockFor({ port });
    await expect(failure).rejects.toBeInstanceOf(UsageError);
    await expect(failure).rejects.toThrow(
      `127.0.0.1:${port}: the port is in use. Choose another one with --port, or 0`,
    );
  });

  it("refuses an address of another machine", async () => {
    const failure = mockFor({ host: "192.0.2.1" });
    await expect(failure).rejects.toBeInstanceOf(UsageError);
    await expect(failure).rejects.toThrow("192.0.2.1 is no address of this machine. Name one with --host");
  });
});
