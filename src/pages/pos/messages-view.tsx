import { useState } from "preact/hooks";
import { clockTime } from "../page/signals.ts";
import { Code, JsonCode, Disclosure, ToneTag } from "../page/shown.tsx";
import { CopyButton, SelectField } from "../page/controls.tsx";
import { formatCurl, signatureLine } from "./curl.ts";
import type { SignedExchange, MessageAnswer } from "./messages.ts";
import { shortDuration } from "../../protocol/time/duration.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export function MessagesView({ baseUrl, messages }: { baseUrl: string; messages: SignedExchange[] }) {
  /** Null chooses the newest. */
  const [chosen, setChosen] = useState<number | null>(null);
  const at = chosen ?? messages.length - 1;
  const message = messages[at];
  if (message === undefined) return <p class="soft messages-none">No message sent yet.</p>;
  return (
    <div class="stack messages">
      <div class="messages-choice">
        <SelectField
          label="Message"
          value={String(at)}
          options={messages.map((each, index) => ({
            value: String(index),
            label: titleOf(each, index, messages.length),
          }))}
          onInput={(value) => setChosen(Number(value) === messages.length - 1 ? null : Number(value))}
        />
        <div class="row">
          {isReplayed(message) && (
            <ToneTag>
              <code>Idempotent-Replayed: true</code>
            </ToneTag>
          )}
          <CopyButton text={() => formatCurl({ baseUrl, ...message, body: message.text })} label="Copy as curl" />
        </div>
      </div>
      <div class="exchange">
        <AnswerBody answer={message.answer} sentAt={message.sentAt} />
        <RequestBody message={message} />
      </div>
      <SignedView message={message} />
    </div>
  );
}

function titleOf({ path, sentAt }: SignedExchange, index: number, of: number): string {
  const what = path === "/api/transfer" ? "transfer" : "cancel";
  return `${index + 1} of ${of} · ${what} · ${clockTime(sentAt)}`;
}

export function isReplayed({ answer }: SignedExchange): boolean {
  return answer !== null && answer !== "broken" && answer.replayed;
}

function RequestBody({ message }: { message: SignedExchange }) {
  const { method, path, body, prefer } = message;
  return (
    <div class="exchange-side">
      <div class="exchange-head">
        <h4>
          <code>
            {method} {path}
          </code>
        </h4>
        {prefer !== null && (
          <ToneTag>
            <code>Prefer: {prefer}</code>
          </ToneTag>
        )}
      </div>
      <JsonCode value={body} label="The request's body" />
    </div>
  );
}

function SignedView({ message: { body, signedText } }: { message: SignedExchange }) {
  const { signature } = body;
  return (
    <Disclosure summary="What is signed">
      <p class="small soft">
        The request's body in RFC 8785 form without its <code>signature</code>:
      </p>
      <Code text={signedText} label="The signed text" wrap />
      <p class="small soft">Its HMAC-SHA-256, keyed with the text of the signing key, in hexadecimal:</p>
      <Code text={typeof signature === "string" ? signature : ""} label="The signature" wrap />
      <div class="row">
        <CopyButton text={() => signatureLine(signedText)} label="Copy as a command" />
      </div>
    </Disclosure>
  );
}

function AnswerBody({ answer, sentAt }: { answer: SignedExchange["answer"]; sentAt: EpochMs }) {
  const known = answer === null || answer === "broken" ? null : answer;
  return (
    <div class="exchange-side">
      <div class="exchange-head">
        <h4>{known === null ? answer === null ? "No answer yet" : "No answer" : <code>{known.status}</code>}</h4>
        {known !== null && <span class="small soft">after {shortDuration(known.at - sentAt)}</span>}
        {known !== null && <SignatureTag answer={known} />}
      </div>
      {known?.body ? (
        <JsonCode value={known.body} label="The answer's body" />
      ) : (
        <Code text={known?.text ?? ""} label="The answer's body" />
      )}
      <p class="small soft mono answer-request-id">{known?.traceId ? `X-Request-Id: ${known.traceId}` : ""}</p>
    </div>
  );
}

function SignatureTag({ answer: { signature } }: { answer: MessageAnswer }) {
  switch (signature) {
    case "right":
      return <ToneTag tone="good">Signature verified</ToneTag>;
    case "wrong":
      return <ToneTag tone="bad">Signature is wrong</ToneTag>;
    case "none":
      return <ToneTag>Not signed</ToneTag>;
  }
}
