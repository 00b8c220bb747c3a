/** A target that answers every request with a flood of one kind, or with nothing, to see that limits hold. */

import { createServer, type Server, type Socket } from "node:net";

const MIB = 1024 * 1024;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const EVENTS = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const LENGTH = 8 * MIB - 1;

type Flood = (socket: Socket) => void;

/** A body of the largest length that is read whole, made of one piece again and again. */
const whole = (piece: string, head = HEAD, before = "", after = ""): Flood => {
  const count = Math.floor((LENGTH - before.length - after.length) / piece.length);
  const body = Buffer.from(before + piece.repeat(count) + after);
  return (socket) =>
    void socket.write(Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]));
};

/** A body without end. */
const endless =
  (piece: string, head = HEAD): Flood =>
  (socket) => {
    const data = Buffer.from(piece.repeat(Math.max(1, Math.floor(65_536 / piece.length))));
    const chunk = Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]);
    pour(socket, Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), chunk);
  };

/** Writes as fast as the peer reads. */
function pour(socket: Socket, first: Buffer, again: Buffer): void {
  socket.write(first);
  const more = (): void => {
    for (let n = 0; n < 16 && !socket.destroyed; n += 1)
      if (!socket.write(again)) return void socket.once("drain", more);
    setImmediate(more);
  };
  more();
}

/** Writes a piece at intervals. */
const drip =
  (piece: string, everyMs: number, first: string): Flood =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

/** The floods, by name. Made when they are asked for: each of some kinds holds 8 MiB. */
export const FLOODS: Readonly<Record<string, () => Flood>> = {
  "carriage returns": () => whole("\r", EVENTS),
  "line feeds": () => whole("\n", EVENTS),
  "events without data": () => whole("data\n\n", EVENTS),
  "tiny events": () => whole("data:{}\n\n", EVENTS),
  "one event of many lines": () => whole("data: x\n", EVENTS),
  "named events": () => whole("event: a\ndata:[]\n\n", EVENTS),
  "events of carriage returns": () => whole("data:{}\r\r", EVENTS),
  "one line": () => whole("data: x", EVENTS),
  "open brackets": () => whole("["),
  "nested arrays": () => {
    const half = "[".repeat(Math.floor(LENGTH / 2));
    return whole("1", HEAD, half.slice(1), half.replaceAll("[", "]").slice(1));
  },
  "nested objects": () => whole('{"a":'),
  "nested members": () => whole("1", HEAD, '{"id":'.repeat(900_000), "}".repeat(900_000)),
  "many objects": () => whole("{},", HEAD, '{"choices":[', "{}]}"),
  "many choices": () => whole('{"message":{}},', HEAD, '{"choices":[', "{}]}"),
  "many members": () => {
    const members = Array.from({ length: 500_000 }, (_, n) => `"m${n}":${n}`).join(",");
    return whole(" ", HEAD, `{${members}}`, "");
  },
  "many numbers": () => whole("0,", HEAD, '{"data":[{"index":0,"embedding":[', "0]}]}"),
  "one long string": () => whole("a", HEAD, '{"id":"', '"}'),
  "escaped string": () => whole("\\u0000", HEAD, '{"id":"', '"}'),
  "endless body": () => endless("a"),
  "endless objects": () => endless("{},"),
  "endless tiny events": () => endless("data:{}\n\n", EVENTS),
  "endless tiny chunks": () => (socket) =>
    pour(socket, Buffer.from(`${EVENTS}transfer-encoding: chunked\r\n\r\n`), Buffer.from("1\r\na\r\n".repeat(8_192))),
  "endless headers": () => (socket) =>
    pour(socket, Buffer.from("HTTP/1.1 200 OK\r\n"), Buffer.from(`x-a: ${"a".repeat(1_000)}\r\n`.repeat(60))),
  "endless interim responses": () => (socket) =>
    pour(socket, Buffer.from(""), Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(1_000))),
  "endless chunk extensions": () => (socket) =>
    pour(socket, Buffer.from(`${HEAD}transfer-encoding: chunked\r\n\r\n1;`), Buffer.from("a=b;".repeat(16_384))),
  "endless trailers": () => (socket) =>
    pour(
      socket,
      Buffer.from(`${HEAD}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`),
      Buffer.from("x-a: b\r\n".repeat(8_192)),
    ),
  "a drip of bytes": () => drip("1\r\na\r\n", 20, `${HEAD}transfer-encoding: chunked\r\n\r\n`),
  "a drip of headers": () => drip("x-a: b\r\n", 20, "HTTP/1.1 200 OK\r\n"),
  "a drip of interim responses": () => drip("HTTP/1.1 102 Processing\r\n\r\n", 20, ""),
  "a drip of a status line": () => drip(" ", 20, "HTTP/1.1"),
  "headers without a body": () => (socket) => void socket.write(`${HEAD}content-length: 100\r\n\r\n`),
  silence: () => () => undefined,
};

/** Floods of events answer streams; other chat requests are served, or no stream would be asked for. */
const COMPLETION = JSON.stringify({
  id: "a",
  object: "chat.completion",
  created: 1,
  model: "a",
  choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const SERVED = `${HEAD}content-length: ${COMPLETION.length}\r\n\r\n${COMPLETION}`;

/** A target that answers each request with a flood; with `streams`, streamed chat only. */
export function floodServer(name: string, streams = name.includes("event") || STREAMED.includes(name)): Server {
  const make = FLOODS[name];
  if (make === undefined) throw new Error(`There is no flood "${name}".`);
  const flood = make();
  return createServer((socket) => {
    let request = "";
    socket.on("error", () => undefined);
    socket.setEncoding("latin1").on("data", (data) => {
      request += String(data);
      const [head = "", body] = request.split("\r\n\r\n");
      if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      request = "";
      if (streams && !body.includes('"stream":true')) socket.write(SERVED);
      else flood(socket);
    });
  });
}

const STREAMED: readonly string[] = ["carriage returns", "line feeds", "one line", "endless tiny chunks"];

/** A target that accepts connections and never reads. */
export const deafServer = (): Server =>
  createServer({ pauseOnConnect: true }, (socket) => void socket.on("error", () => undefined));
