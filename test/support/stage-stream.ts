/** A transfer whose stages a test follows, read off the wire line by line. */
import { judge } from "./contract.ts";
import { noteSecrets } from "./secrets.ts";
import type { Members, Pos, TransferAnswer } from "./pos.ts";
import { send, type CallOptions } from "./gateway.ts";
import { patiently } from "./patience.ts";

const STREAM = { Accept: "text/event-stream" };

const FOLLOWED = { method: "POST", path: "/api/transfer", status: 200 };

interface StreamEvent {
  /** `comment` if it is not one. */
  event: string;
  /** The text of its `data`, or of the comment. */
  data: string;
}

export class StageStream {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  private constructor(response: Response, body: ReadableStream<Uint8Array>) {
    this.response = response;
    this.#reader = body.getReader();
  }

  /** Signs and sends a transfer; throws if the answer is not a stream. */
  static async open(pos: Pos, body: Members, { headers, ...options }: CallOptions = {}): Promise<StageStream> {
    const response = await send("POST", "/api/transfer", {
      token: pos.token,
      body: pos.sign(body),
      headers: { ...STREAM, ...headers },
      ...options,
    });
    const type = response.headers.get("Content-Type");
    if (response.status !== 200 || type !== "text/event-stream" || response.body === null) {
      throw new Error(`not a stream: ${response.status} ${type} ${await response.text()}`);
    }
    judge({ ...FOLLOWED, headers: response.headers, body: undefined });
    return new StageStream(response, response.body);
  }

  /** The next event or comment; null at the end. */
  async next(): Promise<StreamEvent | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return eventOf(block);
      }
      const { done, value } = await patiently(
        this.#reader.read(),
        () => `the rest of a stream that has said ${this.#text}`,
      );
      if (!done) this.#text += this.#decoder.decode(value, { stream: true });
      else if (this.#text === "") return null;
      else throw new Error(`the stream ended in the middle of an event: ${this.#text}`);
    }
  }

  async stage(): Promise<string> {
    const event = await this.next();
    if (event?.event !== "stage") throw new Error(`not a stage: ${JSON.stringify(event)}`);
    return (JSON.parse(event.data) as { stage: string }).stage;
  }

  async stages(count: number): Promise<string[]> {
    const stages: string[] = [];
    while (stages.length < count) stages.push(await this.stage());
    return stages;
  }

  async rest(): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    for (let event = await this.next(); event !== null; event = await this.next()) events.push(event);
    return events;
  }

  /** The stages that are left, and the answer, which must come last, once. */
  async outcome(): Promise<{ stages: string[]; answer: TransferAnswer; text: string }> {
    const events = (await this.rest()).filter(({ event }) => event !== "comment");
    const last = events.pop();
    if (last?.event !== "result" || events.some(({ event }) => event !== "stage")) {
      throw new Error(`not stages and then a result: ${JSON.stringify([...events, last])}`);
    }
    const answer = JSON.parse(last.data) as TransferAnswer;
    noteSecrets(answer);
    const headers = new Headers(this.response.headers);
    headers.set("Content-Type", "application/json");
    judge({ ...FOLLOWED, headers, body: answer });
    const stages = events.map(({ data }) => (JSON.parse(data) as { stage: string }).stage);
    return { stages, answer, text: last.data };
  }

  hangUp(): Promise<void> {
    return this.#reader.cancel();
  }
}

function eventOf(block: string): StreamEvent {
  const lines = block.split("\n");
  if (lines.every((line) => line.startsWith(":"))) return { event: "comment", data: block };
  const [event = "", data = "", ...more] = lines;
  if (!event.startsWith("event: ") || !data.startsWith("data: ") || more.length > 0) {
    throw new Error(`not an event of one line of data: ${block}`);
  }
  return { event: event.slice("event: ".length), data: data.slice("data: ".length) };
}
