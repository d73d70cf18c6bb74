/**
 * Lets the tests of an object run on Node, with objects, D1 and sockets in memory. In workerd a mutant takes seconds, here
 * milliseconds. The tests themselves are the same; what is right is decided in workerd.
 */
import type { Plugin } from "vitest/config";

const MODULES: ReadonlyMap<string, string> = new Map([
  ["cloudflare:workers", "workers.ts"],
  ["cloudflare:test", "control.ts"],
]);

export function workersOnNode(): Plugin {
  return {
    name: "workers-on-node",
    enforce: "pre",
    resolveId(source) {
      const file = MODULES.get(source);
      return file === undefined ? undefined : `${import.meta.dirname}/${file}`;
    },
  };
}
