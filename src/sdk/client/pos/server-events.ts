/**
 * Parses server-sent events as they arrive
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */

export interface ServerEvent {
  event: string;
  data: string;
}

export class EventParser {
  #rest = "";
  #event = "";
  #data: string[] = [];

  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    this.#rest += text;
    // A carriage return at the very end may be half of a line ending.
    for (let end = LINE_END.exec(this.#rest); end !== null; end = LINE_END.exec(this.#rest)) {
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      if (line === "") events.push(...this.#dispatch());
      else this.#take(line);
    }
    return events;
  }

  #take(line: string): void {
    const field = line.replace(/:.*/su, "");
    const value = line.slice(field.length + 1).replace(/^ /u, "");
    // Comments have no name; `id` and `retry` are for a client that reconnects by itself.
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
  }

  #dispatch(): ServerEvent[] {
    const [event, data] = [this.#event, this.#data];
    this.#event = "";
    this.#data = [];
    return data.length === 0 ? [] : [{ event: event === "" ? "message" : event, data: data.join("\n") }];
  }
}

const LINE_END = /\r\n|\n|\r(?!$)/u;

/**
 * The data of the event `last`, as soon as it arrives; null if the stream ends without it. The rest of the stream is
 * read, so that the connection can be reused, but not awaited.
 *
 * @param onEvent gets every earlier event
 */
export async function readServerEvents(
  response: Response,
  last: string,
  onEvent: (event: ServerEvent) => void,
): Promise<string | null> {
  const parser = new EventParser();
  const take = (text: string): string | null => {
    for (const event of parser.push(text)) {
      if (event.event === last) return event.data;
      onEvent(event);
    }
    return null;
  };
  // A runtime whose `fetch` does not stream returns everything at once.
  const body = response.body as ReadableStream<Uint8Array> | null | undefined;
  if (body === null || body === undefined) return take(await response.text());
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return null;
    const found = take(decoder.decode(value, { stream: true }));
    if (found === null) continue;
    void readOut(reader);
    return found;
  }
}

async function readOut(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The result has arrived.
  }
}
