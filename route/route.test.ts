import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import names from "../scenarios/testdata/names.json" with { type: "json" };
import { describeRoute, routeTo, toldLine } from "./route.ts";

/** The extension runs the same cases (`extension/route/dial_test.go`). */
test.each(names)("addresses that are stated: $name", ({ resolve, url, addresses }) => {
  expect(routeTo(url, { resolve }, {}).addresses ?? []).toEqual(addresses);
});

test("a route is told in words without credentials, and to k6 with them", () => {
  const env = { HTTP_PROXY: "http://ann:p@ss-0123@proxy.test:3128" };
  const route = routeTo("http://Svc.test:8080/base", {}, env);
  expect(describeRoute(route)).toBe(
    "http://Svc.test:8080 forwarded by the proxy http://proxy.test:3128 of HTTP_PROXY, with a user",
  );
  expect(JSON.parse(toldLine(route))).toEqual({
    origin: "http://Svc.test:8080",
    proxy: "http://ann:p%40ss-0123@proxy.test:3128",
  });
  const clientCert = fileURLToPath(new URL("./testdata/client.pem", import.meta.url));
  const reach = { clientCert, clientKey: clientCert.replace("client.pem", "client-key.pem") };
  const secure = routeTo("https://localhost:1", reach, env);
  expect(describeRoute(secure)).toMatch(
    /^https:\/\/localhost:1 directly, without a proxy; \d+ trusted certificates; client certificate CN=Test Client of .*client\.pem, valid until /,
  );
  expect(toldLine(secure)).toMatch(/"clientCert":"-----BEGIN CERTIFICATE.*"clientKey":"-----BEGIN PRIVATE KEY/);
  expect(toldLine(routeTo("http://localhost:1", reach, env))).not.toContain("KEY");
});
