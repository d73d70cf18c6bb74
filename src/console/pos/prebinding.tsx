import { useEffect, useState } from "preact/hooks";
import { PosError } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { CopyButton } from "../page/copy.tsx";
import { TextField } from "../page/field.tsx";
import { Notice } from "../page/status.tsx";
import type { Tone } from "../page/tone.ts";
import { curlOf } from "./curl.ts";
import type { Till } from "./till.ts";

const PATH = "/api/prebind-terminals";

/** Terminals that bind themselves without a key if the operator has assigned them to the account's merchant. */
export function Prebinding({ till }: { till: Till }) {
  const [text, setText] = useState("");
  const [said, setSaid] = useState<{ tone: Tone; words: string } | null>(null);
  const uniqueIds = text.split(/[\s,]+/).filter((id) => id !== "");
  const attempt = async (call: () => Promise<string>): Promise<void> => {
    try {
      setSaid({ tone: "good", words: await call() });
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      setSaid({ tone: "bad", words: error.problem.details?.[0]?.message ?? error.message });
    }
  };
  useEffect(() => {
    till.client.prebound().then(
      // Keeps what was typed meanwhile.
      (known) => setText((typed) => (typed === "" ? known.join(" ") : typed)),
      () => undefined,
    );
  }, [till]);
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      await till.client.prebind(uniqueIds);
      const kept = await till.client.prebound();
      setText(kept.join(" "));
      return kept.length === 0 ? "The list is empty." : `The list has ${kept.length} of at most ten.`;
    });
  };
  const call = { baseUrl: till.baseUrl, path: PATH };
  const saving = { ...call, method: "POST", body: JSON.stringify({ uniqueIds }) } as const;
  return (
    <form class="panel" onSubmit={save} noValidate aria-labelledby="prebind-title">
      <div class="row spread">
        <h3 id="prebind-title">Prebind list</h3>
        <CopyButton text={curlOf({ ...call, method: "GET" })} label="Copy as curl" />
      </div>
      <TextField
        label="Terminals"
        name="uniqueIds"
        mono
        value={text}
        hint="These terminals can be bound without a key. At most ten ids, separated by spaces. The operator must have assigned them to your merchant."
        onInput={setText}
      />
      <div class="row">
        <Button>Save the list</Button>
        <CopyButton text={curlOf(saving)} label="Copy saving as curl" />
      </div>
      <div role="status">{said !== null && <Notice tone={said.tone}>{said.words}</Notice>}</div>
    </form>
  );
}
