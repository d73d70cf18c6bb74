/** The lint rule about cognitive complexity counts as SonarSource defines it. */
import { describe, it } from "vitest";
import { parseAst } from "vite";
import { complexityOf } from "../../lint/complexity.mjs";

function complexity(body: string): number {
  const [declared] = parseAst(`async function f(a, b, c, list) { ${body} }`).body;
  return complexityOf(declared);
}

describe("the cognitive complexity of a function", () => {
  it.for([
    ["return a;", 0],
    ["if (a) return b; return c;", 1],
    ["if (a) b(); else if (b) c(); else a();", 3],
    ["for (const each of list) if (each) return a;", 3],
    ["for (const each of list) { while (b) { if (each) return a; } }", 6],
    ["if (a && b && c) return a;", 2],
    ["if (a && b || c) return a;", 3],
    ["return a ?? b ?? c;", 0],
    ["return a ? b : c;", 1],
    ["switch (a) { case 1: return b; case 2: return c; default: return a; }", 1],
    ["try { a(); } catch { if (b) c(); }", 3],
    ["return list.map((each) => (each ? a : b));", 2],
    ["out: for (;;) { for (;;) break out; }", 4],
  ] as const)("is counted for each break in its flow, more when nested: %s", ([body, expected], { expect }) => {
    expect(complexity(body)).toBe(expected);
  });
});
