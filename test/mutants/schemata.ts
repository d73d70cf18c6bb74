/**
 * Mutant schemata: one text with all mutants of a file, of which a number chooses one (Untch, Offutt and Harrold, "Mutation
 * analysis using mutant schemata", 1993). It is loaded once for all of them.
 */
import type { Mutant } from "./mutants.ts";
import { parse, partsOf, type SyntaxNode } from "./syntax.ts";

export function withMutants(source: string, mutants: readonly (Mutant & { number: number })[]): string {
  const pieces = new Map<string, { start: number; end: number; kind: Mutant["kind"]; numbered: [number, string][] }>();
  for (const { number, start, end, kind, instead } of mutants) {
    const place = `${start}-${end}`;
    const piece = pieces.get(place) ?? { start, end, kind, numbered: [] };
    piece.numbered.push([number, instead]);
    pieces.set(place, piece);
  }
  // Outer pieces first, so that every piece follows the one that it is in.
  const sorted = [...pieces.values()].toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const render = (from: number, to: number): string => {
    let text = "";
    let at = from;
    for (let piece = sorted[next]; piece !== undefined && piece.start < to; piece = sorted[next]) {
      next++;
      text += source.slice(at, piece.start) + switched(piece.kind, piece.numbered, render(piece.start, piece.end));
      at = piece.end;
    }
    return text + source.slice(at, to);
  };
  return render(0, source.length);
}

function condition(number: number): string {
  return `globalThis.mutants.isActive(${number})`;
}

function switched(kind: Mutant["kind"], numbered: readonly [number, string][], original: string): string {
  switch (kind) {
    case "expression":
      return `(${numbered.map(([number, instead]) => `${condition(number)} ? (${instead}) : `).join("")}(${original}))`;
    case "statement":
      return `{ if (!${numbered.map(([number]) => condition(number)).join(" && !")}) { ${original} } }`;
    case "member":
      return `...(${numbered.map(([number]) => condition(number)).join(" || ")} ? {} : { ${original} })`;
  }
}

const LOOPS: ReadonlySet<string> = new Set([
  "DoWhileStatement",
  "ForInStatement",
  "ForOfStatement",
  "ForStatement",
  "WhileStatement",
]);

/** The text with its loops counted, because a mutant may loop without end. */
export function withCountedLoops(source: string): string {
  const bodies: SyntaxNode[] = [];
  const visit = (node: SyntaxNode): void => {
    for (const [member, part] of partsOf(node)) {
      if (member === "body" && LOOPS.has(node.type)) bodies.push(part);
      visit(part);
    }
  };
  visit(parse(source));
  const edits = bodies.flatMap(({ start, end }): [number, string][] => [
    [start, "{ globalThis.mutants.countLoop(); "],
    [end, " }"],
  ]);
  let text = source;
  // From the end, so that the places before it stay where they are. An inner loop's end comes before its outer one's.
  for (const [at, added] of edits.toSorted(([a], [b]) => b - a)) text = text.slice(0, at) + added + text.slice(at);
  return text;
}
