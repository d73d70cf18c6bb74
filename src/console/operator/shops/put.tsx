import { useState } from "preact/hooks";
import { TextField } from "../../page/field.tsx";
import type { ShopAnswer } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { shopPath } from "../paths.ts";

const EMPTY = { merchantId: "", name: "", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };

/** A new shop, or a new name or time zone of an existing one. `shop`: null for a new one. */
export function PutShop({ shop, onDone }: { shop: ShopAnswer | null; onDone: () => void }) {
  const [fields, setFields] = useState(EMPTY);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const set = (name: keyof typeof EMPTY) => (value: string) => setFields((known) => ({ ...known, [name]: value }));
  const merchantId = fields.merchantId.trim();
  const change = () => {
    const isComplete = merchantId !== "" && fields.name.trim() !== "" && fields.timezone.trim() !== "";
    setProblem(isComplete ? undefined : "All three fields are required.");
    if (!isComplete) return null;
    const body = { name: fields.name.trim(), timezone: fields.timezone.trim() };
    const make = (calls: Calls) => calls.send("PUT", shopPath(merchantId), body);
    return { action: "shop.put" as const, target: merchantId, make };
  };
  const ask = (): void => {
    setFields(shop ?? EMPTY);
    setProblem(undefined);
  };
  return (
    <Question
      action={shop === null ? "New shop" : "Change"}
      {...(shop === null ? {} : { label: `Change ${shop.merchantId}` })}
      look={shop === null ? "quiet" : "plain"}
      title={shop === null ? "New shop" : `Change the shop ${shop.name}`}
      confirm="Save"
      change={change}
      done={`${fields.name.trim()} is saved.`}
      onAsk={ask}
      onDone={onDone}
    >
      {shop === null && <TextField label="Merchant id" value={fields.merchantId} mono onInput={set("merchantId")} />}
      <TextField label="Name" value={fields.name} hint="Shown in lists, such as Corner shop." onInput={set("name")} />
      <TextField
        label="Time zone"
        value={fields.timezone}
        hint="Such as Asia/Kuala_Lumpur."
        problem={problem}
        onInput={set("timezone")}
      />
      <p class="soft">Lists show both from then on. Accounts and terminals stay as they are.</p>
    </Question>
  );
}
