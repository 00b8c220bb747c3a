/** The control path `/_mock/…`: state, ledger, tasks, faults, clock, reset. It needs no key and is available on loopback only. */

import { z } from "zod";
import { UsageError } from "../../../settings/usage-error.ts";
import { errorResponse, jsonResponse, type PlainResponse } from "../../base/mock-response.ts";
import { activate } from "../../variants/fault-conditions.ts";
import type { MockContext } from "../mock-context.ts";
import { reset, state } from "../mock-state.ts";

const faultsBody = z.strictObject({ names: z.array(z.string()) });
const clockBody = z
  .strictObject({
    hold: z.literal(true).optional(),
    run: z.literal(true).optional(),
    advanceMs: z.number().min(0).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, "give hold, run or advanceMs");

type Action = (context: MockContext, body: string) => PlainResponse;

const ACTIONS: Readonly<Record<string, Action>> = {
  "GET state": (context) => jsonResponse(200, { ...state(context) }),
  "GET ledger": (context) => jsonResponse(200, { rows: context.groundTruth.rows().map((row) => ({ ...row })) }),
  "GET tasks": (context) =>
    jsonResponse(200, {
      tasks: context.tasks.views(context.variants.standingRules("video.poll").tasks).map((t) => ({ ...t })),
    }),
  "POST faults": (context, body) => {
    context.variants.set(activate(faultsBody.parse(JSON.parse(body)).names));
    return jsonResponse(200, { faults: context.variants.names });
  },
  "POST clock": (context, body) => {
    const { hold, run, advanceMs } = clockBody.parse(JSON.parse(body));
    if (hold === true) context.clock.hold();
    if (advanceMs !== undefined) context.clock.advance(advanceMs);
    if (run === true) context.clock.run();
    return jsonResponse(200, { nowMs: context.clock.now(), held: context.clock.held });
  },
  "POST reset": (context) => {
    reset(context);
    return jsonResponse(200, {});
  },
};

/** Performs a request to the control path. */
export function control(context: MockContext, method: string, action: string, body: string): PlainResponse {
  const act = ACTIONS[`${method} ${action}`];
  if (act === undefined) {
    const message = `unknown control action ${method} ${action}; known: ${Object.keys(ACTIONS).join(", ")}`;
    return errorResponse({ status: 404, message, code: "unknown_action", param: null });
  }
  try {
    return act(context, body);
  } catch (cause) {
    if (!(cause instanceof UsageError || cause instanceof z.ZodError || cause instanceof SyntaxError)) throw cause;
    return errorResponse({ status: 400, message: cause.message, code: "invalid_body", param: null });
  }
}
