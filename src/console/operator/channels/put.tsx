import { useState } from "preact/hooks";
import { Choice } from "../../page/choice.tsx";
import { TextField } from "../../page/field.tsx";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { channelPath } from "../paths.ts";
import type { ChannelPage } from "../answers.ts";

const EMPTY = { name: "", status: "1", currency: "", logoUrl3: "" };

const STATUSES = [
  { value: "1", label: "Active" },
  { value: "0", label: "Inactive" },
];

/** A new channel, or a new state of an existing one. `channel`: null for a new one. */
export function PutChannel({ channel, onDone }: { channel: Channel | null; onDone: () => void }) {
  const [fields, setFields] = useState(EMPTY);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const set = (name: keyof typeof EMPTY) => (value: string) => setFields((known) => ({ ...known, [name]: value }));
  const name = fields.name.trim();
  const currency = fields.currency.split(/[\s,]+/u).filter((code) => code !== "");
  const change = () => {
    const isComplete = name !== "" && currency.length > 0 && fields.logoUrl3.trim() !== "";
    setProblem(isComplete ? undefined : "Name, currencies and logo are required.");
    if (!isComplete) return null;
    const body = { status: Number(fields.status), currency, logoUrl3: fields.logoUrl3.trim() };
    const make = (calls: Calls) => calls.send("PUT", channelPath(name), body);
    return { action: "channel.put" as const, target: name, make };
  };
  const ask = (): void => {
    setProblem(undefined);
    if (channel === null) return setFields(EMPTY);
    const { status, logoUrl3 } = channel;
    setFields({ name: channel.name, status: String(status), currency: channel.currency.join(", "), logoUrl3 });
  };
  return (
    <Question
      action={channel === null ? "New channel" : "Change"}
      {...(channel === null ? {} : { label: `Change ${channel.name}` })}
      look={channel === null ? "quiet" : "plain"}
      title={channel === null ? "Add a channel" : `Change the channel ${channel.name}`}
      confirm="Save"
      change={change}
      done={`${name} is saved.`}
      onAsk={ask}
      onDone={onDone}
    >
      {channel === null && (
        <TextField label="Name" value={fields.name} hint="Tills name it in paymentChannel." onInput={set("name")} />
      )}
      <Choice label="Status" value={fields.status} options={STATUSES} onChoose={set("status")} />
      <p class="soft">Sales with an inactive channel get 11 CHANNEL_INACTIVE. A change takes up to a minute.</p>
      <TextField label="Currencies" value={fields.currency} mono hint="Such as MYR, SGD." onInput={set("currency")} />
      <TextField
        label="Logo"
        value={fields.logoUrl3}
        hint="Its address, such as https://example.com/logo.png."
        problem={problem}
        onInput={set("logoUrl3")}
      />
    </Question>
  );
}

export type Channel = ChannelPage["data"][number];
