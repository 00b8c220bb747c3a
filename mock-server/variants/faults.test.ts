import { beforeAll, describe, expect, it } from "vitest";
import { type Observation, SURVEY, SURVEYED } from "../../tests/support/targets/mock-survey.ts";
import { ROUTES, type RouteName } from "../base/route-name.ts";
import type { Mock } from "../mock.ts";
import { startMock } from "../mock.ts";
import { FAULTS } from "./all-variants.ts";
import type { Fault } from "./variant.ts";

const routesOf = ({ route = ROUTES }: Fault): readonly RouteName[] => [route].flat();

describe("each fault changes a response", () => {
  const sound = new Map<Observation, string>();
  let mock: Mock;

  beforeAll(async () => {
    mock = await startMock({ timing: "instant", ...SURVEYED });
    for (const observe of new Set(Object.values(SURVEY).flat())) sound.set(observe, await observe(mock, true));
    return () => mock.stop();
  });

  it.each(FAULTS)("$name", async (fault) => {
    mock.reset();
    mock.setFaults([fault.name]);
    const changes: string[] = [];
    for (const observe of routesOf(fault).flatMap((route) => SURVEY[route])) {
      if ((await observe(mock)) === sound.get(observe)) continue;
      changes.push("changed");
      break;
    }
    expect(changes).toEqual(["changed"]);
  });

  it("without a fault every response is as before", async () => {
    mock.reset();
    for (const [observe, before] of sound) expect(await observe(mock, true)).toBe(before);
  });
});
