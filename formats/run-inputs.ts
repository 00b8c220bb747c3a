/**
 * What `run.json` says of what may make one request slower than another like it: inputs that were sent before, what a cache had of
 * them, and connections that were opened for it.
 */

import { z } from "zod";

const timesOfInputs = z.object({
  freshMs: z.number().describe("median of those with a new input, in milliseconds"),
  repeatedMs: z.number().describe("median of those with a repeated input"),
  sooner: z
    .boolean()
    .describe(
      "three quarters of the repeated ones took less than three quarters of the new ones: a cache answers them",
    ),
});

const splitTimes = {
  times: timesOfInputs
    .optional()
    .describe(
      "times to the first token, else to the end, of ok requests of one operation, workload and model; absent: fewer than 20 of either kind",
    ),
  begunTimes: timesOfInputs
    .optional()
    .describe("the same by their beginning: freshMs of those that begin as none before, repeatedMs of the others"),
};

export const inputsOfRun = z.object({
  requests: z.int().describe("measured requests that sent an input"),
  repeated: z.int().describe("of these, those whose whole input was sent before in the run, its warm-up included"),
  begunAlike: z
    .int()
    .optional()
    .describe(
      "of these, those that began as one before: with its model and the first 256 bytes of its messages, without later turns of conversations; absent in older results",
    ),
  distinct: z.int().describe("different inputs of the run, those of its warm-up included"),
  replayed: z
    .int()
    .optional()
    .describe(
      "measured ok requests whose response had the id of an earlier response to the same input, as a cache of responses returns it; absent: none, or the ids of the target do not tell",
    ),
  ...splitTimes,
  cached: z
    .object({
      requests: z.int().describe("ok requests whose usage has cached_tokens"),
      share: z.number().describe("share of their input tokens that a cache had"),
    })
    .optional()
    .describe("by the usage of the target; absent: it reports none"),
  earlier: z
    .object({
      from: z.string().describe("the result folder of the earlier load, as it was named"),
      repeated: z.int().describe("measured requests whose whole input the earlier load sent"),
      begunAlike: z.int().describe("those that began as one of the earlier load, without later turns of conversations"),
      ...splitTimes,
    })
    .optional()
    .describe("what an earlier load had sent (--against); new ones are those that neither it nor this run sent before"),
});
export type InputsOfRun = z.infer<typeof inputsOfRun>;

/** Phases of a new connection, as records have them. */
export const CONNECTION_PHASES = ["lookup", "connect", "tls"] as const;

export const timesByConnection = z.object({
  opened: z.int().describe("ok requests on a connection that was opened for them"),
  openedMs: z.number().describe("their median time to the first token, else to the end, in milliseconds"),
  reused: z.int().describe("ok requests on a connection that had been used before"),
  reusedMs: z.number().describe("their median"),
  phases: z
    .array(
      z.object({
        name: z.enum(CONNECTION_PHASES).describe("as records have it"),
        ms: z.number().describe("median, in milliseconds"),
      }),
    )
    .describe("of the new connections, the longest first: lookup, connect (with a tunnel) and tls, as in records"),
});
export type TimesByConnection = z.infer<typeof timesByConnection>;

/** Runs have one load where their shares of repeated, or of cached, inputs differ by no more. */
export const MOST_DIFFERENT = 0.1;
