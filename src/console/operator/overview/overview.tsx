import { Notice } from "../../page/status.tsx";
import type { Overview } from "../answers.ts";
import { useReading } from "../part/use-calls.ts";
import { clock } from "../words.ts";
import { Broken } from "./broken.tsx";
import { Business } from "./business.tsx";
import { Fast } from "./fast.tsx";

/** D1 gets new numbers at most every five minutes, but unresolved payments at once. Reading them asks no object. */
const LOOK_EVERY = 30_000;

/** The state of the service on one screen. */
export function OverviewSection() {
  const { value, problem } = useReading((calls) => calls.get<Overview>("/overview"), LOOK_EVERY, []);
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  return (
    <>
      {problem !== null && (
        <Notice tone="pending">
          As of {clock(value.at)}. {problem}
        </Notice>
      )}
      <div class="overview">
        <Broken overview={value} now={Date.parse(value.at)} />
        <Business overview={value} />
        <Fast overview={value} />
      </div>
    </>
  );
}
