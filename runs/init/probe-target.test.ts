import { createServer, type ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { serveInTest } from "../../tests/support/targets/serve-in-test.ts";
import { probeTarget } from "./probe-target.ts";

const MIB = Buffer.alloc(1 << 20, "a");
function endless(response: ServerResponse): void {
  while (response.write(MIB));
  response.once("drain", () => endless(response));
}

test.each<[string, (response: ServerResponse) => void]>([
  ["a text", (response) => response.end("hello")],
  ["a list", (response) => response.end("[{}]")],
  ["no end", endless],
])("a target that returns 200 with %s serves neither part", async (_, answer) => {
  const server = createServer((_, response) => answer(response));
  const probed = probeTarget({ target: await serveInTest(server) }, { chat: "c", embeddings: "e" });
  await expect(probed).rejects.toThrow(/model c returned 200 but not a JSON object.*model e returned 200 but/);
});
