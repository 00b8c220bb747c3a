import { expect, test } from "vitest";
import { resolveSettings } from "../../cli/command-settings.ts";
import { checkedSettings } from "../../load/rules/checked-settings.ts";
import { checkOpenFiles, openFilesLimit } from "./open-files.ts";

const settings = (flags: Readonly<Record<string, string>>) => {
  const { values } = resolveSettings("load", { target: "http://t", ...flags }, { env: {} });
  const { apiKeyEnv: _, extraBody: __, workload: ___, ...rest } = values;
  return checkedSettings(rest);
};

test("more virtual users than files can be opened are refused before anything is sent", () => {
  expect(() => checkOpenFiles(settings({ vus: "1000" }), 1024)).toThrow(
    "Cannot run 1000 virtual users: one process may open 1024 files here (ulimit -Hn), and 1000 requests in flight need 1032. Raise the limit of open files, of the service or container too, or lower --vus to 992.",
  );
  expect(checkOpenFiles(settings({ vus: "992" }), 1024)).toBeUndefined();
});

test("an open loop that may need more is told so, and to what to lower --max-in-flight", () => {
  const notice = checkOpenFiles(settings({ rate: "10", maxInFlight: "5000" }), 1024);
  expect(notice).toMatch(/^With more than 992 requests in flight, requests will fail on this machine: .* to 992\.$/);
  expect(checkOpenFiles(settings({ rate: "10" }), 1024)).toBeUndefined();
  expect(checkOpenFiles(settings({ rate: "10", maxInFlight: "5000" }), Number.POSITIVE_INFINITY)).toBeUndefined();
});

test("each machine needs its share", () => {
  expect(checkOpenFiles(settings({ vus: "1000", segment: "4/4" }), 1024)).toBeUndefined();
  expect(() => checkOpenFiles(settings({ vus: "8000", segment: "1/4" }), 1024)).toThrow("lower --vus to 3968");
});

test("the limit is read from the system", () => {
  expect(openFilesLimit()).toBeGreaterThan(0);
});

test("Windows has no limit, and no shell that is asked for it", () => {
  expect(openFilesLimit("win32")).toBe(Number.POSITIVE_INFINITY);
  expect(openFilesLimit("linux")).toBeLessThan(Number.POSITIVE_INFINITY);
});
