import { expect, test } from "vitest";
import { z } from "zod";
import cases from "../scenarios/testdata/proxies.json" with { type: "json" };
import { addressWithUser, type HttpProxy, proxyAuthorization, proxyFor } from "./proxy-rules.ts";

/** The extension runs the same cases (`extension/route/proxy_test.go`). */
const rows = z
  .array(
    z.object({
      name: z.string(),
      env: z.record(z.string(), z.string()),
      url: z.string(),
      proxy: z.string().nullish(),
      user: z.object({ name: z.string(), password: z.string() }).optional(),
      refused: z.string().optional(),
      unlikeGo: z.string().optional(),
    }),
  )
  .parse(cases);

/** What comes of the variables, or the message of what is refused. */
function found(url: string, env: Readonly<Record<string, string>>): HttpProxy | string | undefined {
  try {
    return proxyFor(url, env);
  } catch (error) {
    return String(error);
  }
}

test.each(rows)("$name", ({ env, url, proxy, user, refused }) => {
  const came = found(url, env);
  if (refused !== undefined) {
    expect(came).toMatch(new RegExp(`^UsageError: Cannot use the proxy of the environment variable ${refused}: `));
    expect(came).not.toMatch(/pass-0123/);
  } else if (proxy == null) expect(came).toBeUndefined();
  else expect(came).toEqual({ variable: expect.any(String), origin: proxy, ...(user && { user }) });
});

test("credentials are sent as one header, and written with escapes", () => {
  const proxy = { variable: "HTTP_PROXY", origin: "http://p:1", user: { name: "a@b", password: "c:d/e" } };
  expect(proxyAuthorization(proxy)).toBe(`Basic ${btoa("a@b:c:d/e")}`);
  expect(addressWithUser(proxy)).toBe("http://a%40b:c%3Ad%2Fe@p:1");
  expect(addressWithUser({ variable: "HTTP_PROXY", origin: "http://p:1" })).toBe("http://p:1");
});
