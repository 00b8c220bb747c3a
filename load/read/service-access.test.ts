import { describe, expect, it } from "vitest";
import { readLoadSettings } from "../../tests/support/load-settings.ts";
import { apiKeysOf, serviceFor, servicesOf } from "./service-access.ts";

const ENV = { ASSAY_TARGET: "http://host:1/base/v1/", ASSAY_HEADER: "X-Team=TEAM_TOKEN" };

describe("settings of a load run", () => {
  it("need a target", () => {
    expect(() => readLoadSettings({})).toThrow(
      "No target is given. Name the base address of the service with --target",
    );
  });

  it("are an open or a closed loop, not both", () => {
    expect(() => readLoadSettings({ ...ENV, ASSAY_RATE: "20/s", ASSAY_VUS: "3" })).toThrow(
      "both rate (20/s) and vus (3) are set",
    );
  });
});

describe("API keys", () => {
  it("are several, one or none", () => {
    expect(apiKeysOf({ ASSAY_API_KEYS: " a, b,", ASSAY_API_KEY: "c" })).toEqual(["a", "b"]);
    expect(apiKeysOf({ ASSAY_API_KEYS: "", ASSAY_API_KEY: " c,d\n" })).toEqual(["c,d"]);
    expect(apiKeysOf({ ASSAY_API_KEY: " " })).toEqual([]);
  });

  it("are given to virtual users in turn", () => {
    const services = ["a", "b", "c"].map((baseUrl) => ({ baseUrl, headers: {} }));
    const given = [0, 1, 2, 3, 4].map((vu) => serviceFor(services, vu).baseUrl);
    expect(given).toEqual(["a", "a", "b", "c", "a"]);
    expect(() => serviceFor([], 4)).toThrow("Cannot choose a service: there is none.");
  });
});

describe("the service", () => {
  const settings = readLoadSettings(ENV);

  it("is reached with each key and the further headers", () => {
    expect(servicesOf(settings, { TEAM_TOKEN: "t", ASSAY_API_KEYS: "k,l" })).toEqual(
      ["Bearer k", "Bearer l"].map((authorization) => ({
        baseUrl: "http://host:1/base",
        headers: { authorization, "x-team": "t" },
      })),
    );
  });

  it("gets no Authorization header without a key", () => {
    expect(servicesOf(settings, { TEAM_TOKEN: "t" }).map(({ headers }) => headers)).toEqual([{ "x-team": "t" }]);
  });

  it("is not called without the value of a header", () => {
    expect(() => servicesOf(settings, {})).toThrow(
      "Cannot send the header X-Team: the environment variable TEAM_TOKEN is not set.",
    );
  });
});
