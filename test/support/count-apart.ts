import { appendFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { DescendantCpu } from "../../src/development/cpu.mjs";

/** Has `npm run test:all` report the CPU time of what this file or block starts apart from its own, under `name`. */
export function countApart(name: string): void {
  const { CPU_APART } = process.env;
  if (CPU_APART === undefined) return;
  let cpu: DescendantCpu;
  let looks: NodeJS.Timeout;
  beforeAll(() => {
    cpu = new DescendantCpu();
    looks = setInterval(() => cpu.look(), 1_000);
  });
  afterAll(() => {
    clearInterval(looks);
    appendFileSync(CPU_APART, `${JSON.stringify({ name, seconds: cpu.seconds })}\n`);
  });
}
