/** A terminal's memory in a browser's database, which is played here; test/e2e/browser has a real one. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { IndexedDbStore } from "../../../../src/sdk/client/indexed-db-store.ts";
import type { TerminalMemory } from "../../../../src/sdk/client/terminal.ts";

function memoryWith(highestAccepted: string): TerminalMemory {
  return { terminalId: "T-1", gateway: "https://gateway.test", memory: "memory-1", highestAccepted, held: [] };
}

class PlayedRequest extends EventTarget {
  result: unknown = null;
  error: Error | null = null;

  end(type: string): void {
    this.dispatchEvent(new Event(type));
  }
}

/** The databases of a browser. */
class PlayedBrowser {
  /** What was done, in order. */
  readonly did: string[] = [];
  /** Why the next open or get fails; null: without a reason. */
  failing: { error: Error | null } | null = null;
  /** Why the next transaction is aborted. */
  aborting: { error: Error | null } | null = null;
  /** The next transaction is completed only then. */
  until: Promise<void> = Promise.resolve();
  readonly databases = new Map<string, Map<string, Map<string, unknown>>>();
  readonly opened: EventTarget[] = [];

  open(name: string, version: number): PlayedRequest {
    const request = new PlayedRequest();
    const { failing } = this;
    this.failing = null;
    void Promise.resolve().then(() => {
      this.did.push(`open ${name} ${version}`);
      if (failing !== null) {
        request.error = failing.error;
        return request.end("error");
      }
      const known = this.databases.get(name);
      const stores = known ?? new Map<string, Map<string, unknown>>();
      this.databases.set(name, stores);
      const database = this.#database(name, stores);
      this.opened.push(database);
      request.result = database;
      if (known === undefined) request.end("upgradeneeded");
      request.end("success");
    });
    return request;
  }

  #database(name: string, stores: Map<string, Map<string, unknown>>): EventTarget {
    return Object.assign(new EventTarget(), {
      createObjectStore: (store: string) => stores.set(store, new Map()),
      close: () => this.did.push(`close ${name}`),
      transaction: (store: string, mode: string, options?: { durability?: string }) => {
        this.did.push([mode, options?.durability].join(" ").trim());
        const values = stores.get(store);
        if (values === undefined) throw new Error(`there is no ${store}`);
        return this.#transaction(values, mode);
      },
    });
  }

  #transaction(values: Map<string, unknown>, mode: string): EventTarget {
    const changes = new Map<string, unknown>();
    const transaction = Object.assign(new EventTarget(), {
      error: null as Error | null,
      objectStore: () => ({
        get: (key: string) => {
          const request = new PlayedRequest();
          request.result = values.get(key);
          const { failing } = this;
          this.failing = null;
          void Promise.resolve().then(() => {
            request.error = failing?.error ?? null;
            request.end(failing === null ? "success" : "error");
          });
          return request;
        },
        put: (value: unknown, key: string) => {
          if (mode !== "readwrite") throw new Error("it may not be written");
          changes.set(key, value);
        },
      }),
    });
    const { aborting, until } = this;
    this.aborting = null;
    void until.then(() => {
      if (aborting === null) for (const [key, value] of changes) values.set(key, value);
      else transaction.error = aborting.error;
      transaction.dispatchEvent(new Event(aborting === null ? "complete" : "abort"));
    });
    return transaction;
  }
}

/** The locks of a browser with one tab. */
class PlayedLocks {
  readonly asked: string[] = [];
  failing: Error | null = null;

  async request(name: string, _options: object, work: () => Promise<unknown>): Promise<void> {
    this.asked.push(name);
    if (this.failing !== null) throw this.failing;
    await work();
  }
}

let browser: PlayedBrowser;
let locks: PlayedLocks;

beforeEach(() => {
  browser = new PlayedBrowser();
  locks = new PlayedLocks();
  vi.stubGlobal("indexedDB", browser);
  vi.stubGlobal("navigator", { locks });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a terminal's memory in a browser", () => {
  it("is saved once durable, and unchanged if a save fails", async ({ expect }) => {
    const store = new IndexedDbStore("T-1");
    await store.load();
    const durable = Promise.withResolvers<void>();
    browser.until = durable.promise;
    let isSaved = false;
    const saving = store.save(memoryWith("1000000001")).then(() => (isSaved = true));
    await store.load().catch(() => undefined);
    expect(isSaved).toBe(false);
    durable.resolve();
    await saving;
    for (const error of [new Error("disk full"), null]) {
      browser.aborting = { error };
      await expect(store.save(memoryWith("1000000002"))).rejects.toEqual(error ?? new Error("the save was aborted"));
    }
    expect(await store.load()).toEqual(memoryWith("1000000001"));
    expect(browser.did).toContain("readwrite strict");
  });

  it("fails with the browser's reason, and recovers with the browser", async ({ expect }) => {
    const store = new IndexedDbStore("T-1");
    locks.failing = new Error("no locks here");
    await expect(store.load()).rejects.toThrow("no locks here");
    locks.failing = null;
    for (const error of [new Error("no space"), null]) {
      browser.failing = { error };
      await expect(store.load()).rejects.toEqual(error ?? new Error("IndexedDB failed"));
    }
    expect(await store.load()).toBeNull();
    expect(browser.did.filter((one) => one.startsWith("open"))).toHaveLength(3);
    expect(locks.asked).toHaveLength(2);
  });

  it("is opened again only after the browser has closed it", async ({ expect }) => {
    const store = new IndexedDbStore("T-1");
    await store.close();
    await Promise.all([store.save(memoryWith("1000000001")).catch(() => undefined), store.load()]);
    await store.save(memoryWith("1000000002"));
    expect(browser.opened).toHaveLength(1);
    browser.opened[0]?.dispatchEvent(new Event("close"));
    await store.save(memoryWith("1000000003"));
    expect(browser.opened).toHaveLength(2);
    await store.close();
    await store.close();
    expect(browser.did.filter((one) => one.startsWith("close"))).toEqual(["close T-1"]);
    // Another page may have it by now.
    await store.load();
    expect(locks.asked).toHaveLength(2);
  });
});
