import { useState } from "preact/hooks";
import { CallForm, Control, useCall } from "../../page/controls.tsx";
import type { Field } from "../../page/declared.ts";
import { go } from "../address.ts";
import type { FoundTransaction } from "../answers.ts";
import { NONE, problemOf } from "../calls.ts";
import { Panel } from "../part/panel.tsx";
import { useCalls } from "../part/reading.tsx";
import { linkTo, paymentLink, type PlaceQuery } from "../route.ts";
import { searchOf } from "./search.ts";

const NAMES: Field<"text" | "posId">[] = [
  {
    name: "text",
    label: "Number or reference",
    mono: true,
    hint: "The transId of ten digits, or the referenceId that the till chose.",
  },
  { name: "posId", label: "Account", mono: true, hint: "The posId: of the reference, or of the payments of a time." },
];
const TIMES: Field<"from" | "to">[] = [
  { name: "from", kind: "time", label: "From" },
  { name: "to", kind: "time", label: "To" },
];

export function FindPayment({ query: { text = "", posId = "" } }: { query: PlaceQuery }) {
  const calls = useCalls();
  const [wanted, setWanted] = useState({ text, posId, from: "", to: "" });
  const { state, make } = useCall(problemOf);
  const find = async (): Promise<string | null> => {
    const search = searchOf(wanted.text, wanted.posId);
    if (search.kind === "unclear") return search.problem;
    if (search.kind === "account") {
      const { from, to } = wanted;
      go(linkTo("accounts", [search.posId], { from, to }));
      return null;
    }
    const { kind: _kind, ...query } = search;
    const found = await calls.find<FoundTransaction>("/transactions", query);
    if (found === NONE) return "There is no such payment.";
    go(paymentLink(found.terminalId, found.transaction.requestId));
    return null;
  };
  const control = (field: Field<keyof typeof wanted>) => (
    <Control
      key={field.name}
      field={field}
      value={wanted[field.name]}
      onInput={(entered) => setWanted((known) => ({ ...known, [field.name]: entered }))}
    />
  );
  return (
    <Panel title="Find a payment">
      <CallForm look="stack" state={state} action="Find" busyAction="Searching…" onSubmit={() => make(find)}>
        <div class="fields">{NAMES.map(control)}</div>
        <div class="row">{TIMES.map(control)}</div>
      </CallForm>
      <p class="soft">
        By time: enter the account and no reference. A <a href={linkTo("terminals")}>terminal</a> has its journal.
        Payments without an outcome are in <a href={linkTo("unresolved")}>Unresolved</a>.
      </p>
    </Panel>
  );
}
