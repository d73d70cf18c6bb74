/** Decorative drawings on the screen; the words beside them say the same. */
export type MarkKind = "tap" | "insert" | "scan" | "question" | "busy" | "good" | "bad" | "open";

export function Mark({ kind }: { kind: MarkKind }) {
  return (
    <svg class="vt-mark" data-kind={kind} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      {DRAWINGS[kind].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

const RING = "M32 6a26 26 0 1 0 0 52a26 26 0 1 0 0 -52z";

const DRAWINGS: Record<MarkKind, string[]> = {
  tap: ["M15 25q4 7 0 14", "M23 20q7 12 0 24", "M31 15q10 17 0 34", "M39 10q13 22 0 44"],
  insert: [
    "M18 8h28q3 0 3 3v24M15 35v-24q0 -3 3 -3",
    "M8 42h48M8 42v8q0 4 4 4h40q4 0 4 -4v-8",
    "M32 16v18M25 28l7 7l7 -7",
  ],
  scan: ["M8 20v-8q0 -4 4 -4h8M44 8h8q4 0 4 4v8M56 44v8q0 4 -4 4h-8M20 56h-8q-4 0 -4 -4v-8", "M8 32h48"],
  question: [RING, "M25 25q0 -8 7 -8q8 0 8 7q0 6 -8 9v4M32 45v1"],
  busy: ["M32 8a24 24 0 1 0 0 48a24 24 0 1 0 0 -48z", "M32 8a24 24 0 0 1 24 24"],
  good: [RING, "M20 33l9 9l16 -19"],
  bad: [RING, "M23 23l18 18M41 23l-18 18"],
  open: [RING, "M32 18v15l10 7"],
};
