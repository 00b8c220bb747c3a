/** The control path `/_mock/…`: state, ledger, tasks, faults, clock, reset. It needs no key and answers on loopback only. */

import { z } from "zod";
import { UsageError } from "../../../settings/usage-error.ts";
import { type Answer, answer, refusal } from "../../base/mock-response.ts";
import { activate } from "../../variants/fault-conditions.ts";
import type { World } from "../mock-context.ts";
import { reset, state } from "../mock-state.ts";

const faultsBody = z.strictObject({ names: z.array(z.string()) });
const clockBody = z
  .strictObject({
    hold: z.literal(true).optional(),
    run: z.literal(true).optional(),
    advanceMs: z.number().min(0).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, "say hold, run or advanceMs");

type Action = (world: World, body: string) => Answer;

const ACTIONS: Readonly<Record<string, Action>> = {
  "GET state": (world) => answer(200, { ...state(world) }),
  "GET ledger": (world) => answer(200, { rows: world.ledger.rows().map((row) => ({ ...row })) }),
  "GET tasks": (world) =>
    answer(200, {
      tasks: world.tasks.views(world.variations.standingRules("video.poll").tasks).map((t) => ({ ...t })),
    }),
  "POST faults": (world, body) => {
    world.variations.set(activate(faultsBody.parse(JSON.parse(body)).names, world.knownFaults));
    return answer(200, { faults: world.variations.names });
  },
  "POST clock": (world, body) => {
    const { hold, run, advanceMs } = clockBody.parse(JSON.parse(body));
    if (hold === true) world.clock.hold();
    if (advanceMs !== undefined) world.clock.advance(advanceMs);
    if (run === true) world.clock.run();
    return answer(200, { nowMs: world.clock.now(), held: world.clock.held });
  },
  "POST reset": (world) => {
    reset(world);
    return answer(200, {});
  },
};

/** Does what the control path asks for. */
export function control(world: World, method: string, action: string, body: string): Answer {
  const act = ACTIONS[`${method} ${action}`];
  if (act === undefined) {
    const message = `no control action ${method} ${action}; there are ${Object.keys(ACTIONS).join(", ")}`;
    return refusal({ status: 404, message, code: "unknown_action", param: null });
  }
  try {
    return act(world, body);
  } catch (cause) {
    if (!(cause instanceof UsageError || cause instanceof z.ZodError || cause instanceof SyntaxError)) throw cause;
    return refusal({ status: 400, message: cause.message, code: "invalid_body", param: null });
  }
}
