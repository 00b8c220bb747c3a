/** Members that several formats have. */

import { z } from "zod";

export const optional = z.number().optional();
export const nullable = z.number().nullable();

/** What a result comes to. */
export const ending = {
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2)]).describe("exit code of the command"),
  conclusion: z.string().describe("the reason for the exit code"),
};
