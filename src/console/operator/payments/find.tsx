import { useState } from "preact/hooks";
import { CallForm } from "../../page/call-form.tsx";
import type { CallState } from "../../page/call-form.tsx";
import { TextField } from "../../page/field.tsx";
import type { FoundTransaction } from "../answers.ts";
import { NONE, problemOf } from "../calls.ts";
import { TimeField } from "../part/filters.tsx";
import { Panel } from "../part/panel.tsx";
import { useCalls } from "../part/reading.tsx";
import { linkTo, paymentLink, type PlaceQuery } from "../route.ts";
import { go } from "../address.ts";
import { searchOf } from "./search.ts";

/** Finds one payment by its number or by a till's reference, and an account's payments by time. */
export function FindPayment({ query }: { query: PlaceQuery }) {
  const calls = useCalls();
  const [text, setText] = useState(query["text"] ?? "");
  const [posId, setPosId] = useState(query["posId"] ?? "");
  const [times, setTimes] = useState({ from: "", to: "" });
  const [state, setState] = useState<CallState>({ busy: false, problem: null });
  const find = async (): Promise<void> => {
    const search = searchOf(text, posId);
    if (search.kind === "unclear") return setState({ busy: false, problem: search.problem });
    if (search.kind === "account") return go(linkTo("accounts", [search.posId], times));
    setState({ busy: true, problem: null });
    const { kind: _kind, ...wanted } = search;
    try {
      const found = await calls.find<FoundTransaction>("/transactions", wanted);
      if (found === NONE) setState({ busy: false, problem: "There is no such payment." });
      else go(paymentLink(found.terminalId, found.transaction.requestId));
    } catch (error) {
      setState({ busy: false, problem: problemOf(error) });
    }
  };
  return (
    <Panel title="Find a payment" id="find-title">
      <CallForm look="stack" state={state} action="Find" busyAction="Searching…" onSubmit={find}>
        <div class="fields">
          <TextField
            label="Number or reference"
            value={text}
            mono
            hint="The transId of ten digits, or the referenceId that the till chose."
            onInput={setText}
          />
          <TextField
            label="Account"
            value={posId}
            mono
            hint="The posId: of the reference, or of the payments of a time."
            onInput={setPosId}
          />
        </div>
        <div class="row">
          <TimeField label="From" value={times.from} onChoose={(from) => setTimes({ ...times, from })} />
          <TimeField label="To" value={times.to} onChoose={(to) => setTimes({ ...times, to })} />
        </div>
      </CallForm>
      <p class="soft">
        By time: enter the account and no reference. A <a href={linkTo("terminals")}>terminal</a> has its journal.
        Payments without an outcome are in <a href={linkTo("unresolved")}>Unresolved</a>.
      </p>
    </Panel>
  );
}
