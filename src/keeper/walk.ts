/**
 * After a restore of D1: the keeper walks through all objects that were made lately or that D1 lists, so that each tells D1
 * again what it knows. It walks until a walk finds none that has something to tell. Pure decisions.
 */

import type { Kind, Listed } from "../storage/generation.ts";

/** `created`: objects that were made lately, which a restored D1 may not list. */
export type WalkKind = "created" | Kind;

export interface Walk {
  /** null: it is over. */
  kind: WalkKind | null;
  /** The last object of the kind that was looked at. */
  after: string;
  missed: number;
}

export const FIRST_STEP: Walk = { kind: "created", after: "", missed: 0 };

/**
 * The walk after a step.
 *
 * @param page the next objects of the kind; not full: there are no more
 * @param missed how many of them have not told everything
 */
export function nextStep(
  { kind, missed: before }: Walk,
  page: readonly Listed[],
  isFull: boolean,
  missed: number,
): Walk {
  const all = before + missed;
  const last = page.at(-1);
  if (isFull && last !== undefined) return { kind, after: last.id, missed: all };
  if (kind === "created") return { kind: "account", after: "", missed: all };
  if (kind === "account") return { kind: "terminal", after: "", missed: all };
  return all > 0 ? FIRST_STEP : { kind: null, after: "", missed: 0 };
}
