/** Stands for `kubectl`: passes its arguments and input to the played cluster, and what comes back to whoever called it. */

import { connect } from "node:net";
import { createInterface } from "node:readline";

const [, , socket = "", ...args] = process.argv;
const cluster = connect(socket);
let input = "";
if (args.includes("-")) for await (const chunk of process.stdin) input += chunk;
const variables = Object.keys(process.env).filter((name) => name.startsWith("ASSAY_"));
cluster.write(`${JSON.stringify({ args, input, variables })}\n`);
for await (const line of createInterface({ input: cluster })) {
  const { out, err, code } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(Buffer.from(out, "base64"));
  if (err !== undefined) process.stderr.write(err);
  if (code !== undefined) {
    process.exitCode = code;
    cluster.end();
  }
}
