/** Every command reaches its target on one route, whichever of the two clients sends: proxies with a row each. */

import { describe, expect, test } from "vitest";
import { assay, newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { forwardProxy, type ProxyRules } from "../../support/targets/forward-proxy.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  load: ["load", "chat", "--rate", "10", "--duration", "1s", "--warmup", "0", ...FEW_UNITS],
  conformance: ["conformance", "--only", "chat.minimal,chat.status", "--profile", "openai"],
};

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
    const mock = await startMockProcess("--timing", "instant");
    const proxy = await forwardProxy(rules);
    const { port } = new URL(mock.url);
    const variables = env ?? { HTTP_PROXY: proxy.url.replace("://", `://${user}`) };
    const args = [...(COMMANDS[command] ?? []), "--target", `http://svc.test:${port}`, "--out", newFolder()];
    const ended = await assay(args, { ASSAY_API_KEY: "k", ...variables });
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringMatching(says ?? "")]);
    expect(ended.stdout + ended.stderr).not.toContain("s-0123");
    expect(proxy.asked.length > 0).toBe(isAsked);
    expect(proxy.asked.filter((each) => !each.startsWith(`http://svc.test:${port}/`))).toEqual([]);
  });
});
