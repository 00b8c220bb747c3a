import { beforeAll, describe, expect, it } from "vitest";
import { type Observation, SURVEY, SURVEYED } from "../../tests/support/mock-survey.ts";
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
    for (const look of new Set(Object.values(SURVEY).flat())) sound.set(look, await look(mock));
    return () => mock.stop();
  });

  it.each(FAULTS)("$name", async (fault) => {
    mock.reset();
    mock.setFaults([fault.name]);
    const seen: string[] = [];
    for (const look of routesOf(fault).flatMap((route) => SURVEY[route])) {
      if ((await look(mock)) === sound.get(look)) continue;
      seen.push("changed");
      break;
    }
    expect(seen).toEqual(["changed"]);
  });

  it("without a fault every response is as before", async () => {
    mock.reset();
    for (const [look, before] of sound) expect(await look(mock)).toBe(before);
  });
});
