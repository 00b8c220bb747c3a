/** Third-party clients work with the mock as with the real service. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { newFolder, startAssay } from "../support/commands/assay-process.ts";
import {
  chatCompletion,
  embeddingList,
  videoCancellation,
  videoSubmission,
  videoTask,
} from "../support/contract/service-schemas.ts";
import { pythonWithPackages } from "../support/python-client.ts";
import { type MockProcess, startMockProcess } from "../support/targets/spawned-mock.ts";

const run = promisify(execFile);
let mock: MockProcess;
beforeAll(async () => {
  mock = await startMockProcess("--timing", "fast", "--work", "10m");
});

describe("curl", () => {
  const curl = async (path: string, ...args: string[]): Promise<{ status: number; body: string }> => {
    const key = ["--header", "Authorization: Bearer any"];
    const { stdout } = await run("curl", ["-sS", "-w", "\n%{http_code}", ...key, ...args, mock.url + path]);
    const end = stdout.lastIndexOf("\n");
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
  };
  const json = (body: object): string[] => ["--json", JSON.stringify(body)];
  const messages = [{ role: "user", content: "Say something." }];

  test("receives a chat completion", async () => {
    const { status, body } = await curl("/v1/chat/completions", ...json({ model: "m", messages }));
    expect(status).toBe(200);
    expect(chatCompletion.parse(JSON.parse(body)).choices).toHaveLength(1);
  });

  test("receives a stream that ends with [DONE]", async () => {
    const { body } = await curl("/v1/chat/completions", "-N", ...json({ model: "m", messages, stream: true }));
    expect(body.trimEnd().split("\n").at(-1)).toBe("data: [DONE]");
  });

  test("receives embeddings", async () => {
    const { body } = await curl("/v1/embeddings", ...json({ model: "m", input: ["a", "b"] }));
    expect(embeddingList.parse(JSON.parse(body)).data).toHaveLength(2);
  });

  test("submits, polls and cancels a video task", async () => {
    const submitted = await curl("/v1/videos/generations", ...json({ model: "m", prompt: "waves" }));
    expect(submitted.status).toBe(202);
    const { id } = videoSubmission.parse(JSON.parse(submitted.body));
    const polled = await curl(`/v1/videos/generations/${id}`);
    expect(videoTask.parse(JSON.parse(polled.body)).status).toBe("processing");
    const cancelled = await curl(`/v1/videos/generations/${id}/cancel`, "-X", "POST");
    expect(videoCancellation.parse(JSON.parse(cancelled.body)).id).toBe(id);
  });
});

describe("the openai client for Python can chat, stream and embed", () => {
  const script = fileURLToPath(new URL("openai_client.py", import.meta.url));
  const output = z.object({ chat: z.string(), stream: z.string(), chunks: z.number(), vectors: z.array(z.number()) });

  /** What the client received from a base address. */
  async function received(url: string): Promise<z.infer<typeof output>> {
    const { stdout } = await run(pythonWithPackages(), [script], {
      env: { ...process.env, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "any" },
    });
    return output.parse(JSON.parse(stdout));
  }

  test("with the mock", async () => {
    const { chat, stream, chunks, vectors } = await received(mock.url);
    expect(chat.split(" ").length).toBeGreaterThan(20);
    expect(stream.split(" ").length).toBeGreaterThan(20);
    expect(chunks).toBe(40);
    expect(vectors).toEqual([256, 256]);
  });

  test("through the proxy, which finds nothing wrong", async () => {
    const folder = join(newFolder(), "result");
    const proxy = startAssay(["proxy", "--target", mock.url, "--profile", "openai", "--out", folder]);
    const url = await proxy.until(/ready (http:\/\/\S+)/);
    expect(await received(url)).toEqual(await received(mock.url));
    proxy.child.kill("SIGINT");
    const { code, stdout } = await proxy.ended;
    expect(stdout).toMatch(/^CONFORMS/m);
    expect(code).toBe(0);
  });
});
