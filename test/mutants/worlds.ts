/** Code that is evaluated more than once in a process. In the process of the tests. */
import { vi } from "vitest";

/** A module of Vitest, with what `vi.resetModules` takes from it. */
interface Module {
  promise: unknown;
  exports: unknown;
  evaluated: boolean;
  importers: Set<string>;
}

/** Vitest's own, which has no other way to them. */
const { evaluatedModules } = Reflect.get(globalThis, "__vitest_worker__") as {
  evaluatedModules: { idToModuleMap: Map<string, Module> };
};
const modules = evaluatedModules.idToModuleMap;

/** What the evaluated code has put in place of what was there. */
const GLOBALS = ["scheduler", "WebSocketPair", "WebSocketRequestResponsePair", "workerLoaded"] as const;

/** The modules as they were evaluated together. Nothing is, at first. */
export class World {
  #modules = new Map<Module, Module>();
  #globals: Record<string, unknown> = { workerLoaded: undefined };

  /** Does some work in this world. What is imported meanwhile stays in it. */
  async visit<T>(work: () => Promise<T>): Promise<T> {
    this.#exchange();
    try {
      return await work();
    } finally {
      this.#exchange();
    }
  }

  /** This world for the one that is there. */
  #exchange(): void {
    const [others, globals] = [this.#modules, this.#globals];
    this.#modules = new Map(
      [...modules.values()].map((module) => [module, { ...module, importers: new Set(module.importers) }]),
    );
    this.#globals = Object.fromEntries(GLOBALS.map((name) => [name, Reflect.get(globalThis, name)]));
    vi.resetModules();
    for (const [module, { promise, exports, evaluated, importers }] of others) {
      Object.assign(module, { promise, exports, evaluated });
      for (const importer of importers) module.importers.add(importer);
    }
    Object.assign(globalThis, globals);
  }
}

/** Everything is evaluated again when it is imported next. */
export function endWorld(): void {
  vi.resetModules();
  globalThis.workerLoaded = undefined;
}
