import { describe, it } from "vitest";
import { CallError, type Calls } from "../../../src/console/operator/calls.ts";
import { Enrolment, PageMemory, type Store } from "../../../src/console/operator/enrol/enrolment.ts";
import { enrolAll, type Enrol, type EnrolmentAnswer } from "../../../src/enrolment/enrol.ts";

const SECRET = "s".repeat(43);

/** A browser's storage. */
function storage(): Store & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
  };
}

/** A gateway that loses the answer about one terminal after it has enrolled it. */
class FakeGateway {
  readonly terminals = new Map<string, { version: number; enrolmentId: string }>();
  lost: string | null = null;

  enrol: Enrol = async ({ terminalId, enrolmentId }): Promise<EnrolmentAnswer> => {
    if (terminalId.includes(" ")) return { kind: "refused", problem: "terminalId: no spaces." };
    const known = this.terminals.get(terminalId);
    if (known !== undefined && known.enrolmentId !== enrolmentId) return { kind: "taken" };
    const version = (known?.version ?? 0) + 1;
    this.terminals.set(terminalId, { version, enrolmentId });
    if (this.lost !== terminalId) return { kind: "enrolled", secret: `${SECRET}${version}` };
    this.lost = null;
    throw new Error("no answer");
  };

  /** Somebody else enrols a terminal. */
  take(terminalId: string): void {
    this.terminals.set(terminalId, { version: 7, enrolmentId: "another" });
  }
}

const wanted = (...ids: string[]) => ids.map((terminalId) => ({ terminalId, isVT: 0 as const }));

async function run(gateway: FakeGateway, memory: PageMemory, ...ids: string[]): Promise<string[]> {
  const enrolled = await enrolAll(wanted(...ids), gateway.enrol, memory, () => {});
  return enrolled.map(({ terminalId, outcome }) => `${terminalId} ${outcome}`);
}

describe("an enrolment in the page", () => {
  it("enrols every good line, and says what is wrong with the others", async ({ expect }) => {
    const [gateway, memory] = [new FakeGateway(), new PageMemory(storage())];
    gateway.take("T-2");
    expect(await run(gateway, memory, "T-1", "T-2", "T 3")).toEqual(["T-1 enrolled", "T-2 taken", "T 3 refused"]);
    expect(memory.takeSecrets()).toBe(`terminalId,secret\nT-1,${SECRET}1\n`);
  });

  it("begins no other after an answer was lost", async ({ expect }) => {
    const gateway = new FakeGateway();
    gateway.lost = "T-1";
    await expect(
      run(gateway, new PageMemory(storage()), ...Array.from({ length: 20 }, (_, n) => `T-${n + 1}`)),
    ).rejects.toThrow("no answer");
    // As many as are enrolled at the same time.
    expect(gateway.terminals.size).toBeLessThanOrEqual(5);
  });

  it("continues after a lost answer: that terminal gets a new secret, because nobody has the first one", async ({
    expect,
  }) => {
    const [gateway, memory] = [new FakeGateway(), new PageMemory(storage())];
    gateway.lost = "T-2";
    await expect(run(gateway, memory, "T-1", "T-2", "T-3")).rejects.toThrow("no answer");
    expect(await run(gateway, memory, "T-1", "T-2", "T-3")).toContain("T-2 enrolled");
    const secrets = memory.takeSecrets();
    for (const line of [`T-1,${SECRET}1`, `T-2,${SECRET}2`, `T-3,${SECRET}1`]) expect(secrets).toContain(line);
  });

  it("continues after the page was closed with unsaved secrets", async ({ expect }) => {
    const [gateway, store] = [new FakeGateway(), storage()];
    await run(gateway, new PageMemory(store), "T-1");
    const memory = new PageMemory(store);
    expect(await run(gateway, memory, "T-1")).toEqual(["T-1 enrolled"]);
    expect(memory.takeSecrets()).toContain(`T-1,${SECRET}2`);
  });

  it("leaves a terminal alone once its secret is saved, in this page and in the next", async ({ expect }) => {
    const [gateway, store] = [new FakeGateway(), storage()];
    const memory = new PageMemory(store);
    await run(gateway, memory, "T-1");
    memory.takeSecrets();
    expect(await run(gateway, memory, "T-1")).toEqual(["T-1 enrolled before"]);
    expect(await run(gateway, new PageMemory(store), "T-1")).toEqual(["T-1 taken"]);
    expect(gateway.terminals.get("T-1")?.version).toBe(1);
  });

  it("leaves alone a terminal that it had begun, and that somebody else has enrolled meanwhile", async ({ expect }) => {
    const [gateway, store] = [new FakeGateway(), storage()];
    await new PageMemory(store).begin("T-1");
    gateway.take("T-1");
    expect(await run(gateway, new PageMemory(store), "T-1")).toEqual(["T-1 taken"]);
    expect(await run(gateway, new PageMemory(store), "T-1")).toEqual(["T-1 taken"]);
    expect(gateway.terminals.get("T-1")?.version).toBe(7);
  });

  it("keeps no secret in the browser's storage, and nothing once all are saved", async ({ expect }) => {
    const store = storage();
    const memory = new PageMemory(store);
    await run(new FakeGateway(), memory, "T-1", "T-2");
    expect([...store.texts.values()].join()).toMatch(/^\{"T-1":"[0-9a-f-]{36}","T-2":"[0-9a-f-]{36}"\}$/u);
    memory.takeSecrets();
    expect(store.texts.size).toBe(0);
    store.setItem("enrolment begun", "not JSON");
    expect(await new PageMemory(store).begin("T-1")).toMatch(/^[0-9a-f-]{36}$/u);
  });
});

/** An operator's calls, whose enrolments wait until `answer` is called. */
function slowCalls(): { calls: Calls; sent: string[]; answer: () => void } {
  const waiting: (() => void)[] = [];
  const sent: string[] = [];
  const send = (_: string, __: string, { terminalId }: { terminalId: string }) => {
    sent.push(terminalId);
    return new Promise((resolve) => waiting.push(() => resolve({ secret: SECRET })));
  };
  const calls = { send } as unknown as Calls;
  return { calls, sent, answer: () => waiting.splice(0).forEach((one) => one()) };
}

describe("the page's enrolment", () => {
  it("tells the page how far it is, and what is left to save", async ({ expect }) => {
    const enrolment = new Enrolment(storage());
    const { calls, answer } = slowCalls();
    const seen: string[] = [];
    enrolment.state.subscribe(({ wanted: chosen, run: shown, unsaved }) =>
      seen.push(`${chosen.length} ${shown?.state ?? "chosen"} ${shown?.outcomes.length ?? 0} ${unsaved}`),
    );
    enrolment.choose("fleet.csv", "terminalId\nT-1\n");
    const running = enrolment.enrol(calls);
    await new Promise((resolve) => setTimeout(resolve));
    answer();
    await running;
    expect(enrolment.takeSecrets()).toContain(`T-1,${SECRET}`);
    expect(seen).toEqual([
      "0 chosen 0 0",
      "1 chosen 0 0",
      "1 running 0 0",
      "1 running 1 1",
      "1 ended 1 1",
      "1 ended 1 0",
    ]);
  });

  it("does not begin again, and takes no other file, while it runs: each secret would be replaced", async ({
    expect,
  }) => {
    const enrolment = new Enrolment(storage());
    const { calls, sent, answer } = slowCalls();
    enrolment.choose("fleet.csv", "terminalId\nT-1\n");
    const running = enrolment.enrol(calls);
    await new Promise((resolve) => setTimeout(resolve));
    await enrolment.enrol(calls);
    enrolment.choose("other.csv", "terminalId\nT-2\n");
    expect(enrolment.state.value.wanted).toMatchObject([{ terminalId: "T-1" }]);
    answer();
    await running;
    expect(sent).toEqual(["T-1"]);
  });

  it("forgets what somebody else has enrolled", async ({ expect }) => {
    const store = storage();
    const enrolment = new Enrolment(store);
    enrolment.choose("fleet.csv", "terminalId\nT-1\n");
    await enrolment.enrol({ send: () => Promise.reject(new CallError(409, "Taken.")) } as unknown as Calls);
    expect(enrolment.state.value.run).toMatchObject({ outcomes: [{ outcome: "taken" }], state: "ended" });
    expect(store.texts.size).toBe(0);
  });

  it("warns about merchants that no account has, and enrols their terminals", async ({ expect }) => {
    const enrolment = new Enrolment(storage());
    const accounts: Record<string, object[]> = { "M-1": [{ status: "active" }], "M-2": [{ status: "deleted" }] };
    const calls = {
      get: async (_path: string, { merchantId = "" }) => ({ data: accounts[merchantId] ?? [] }),
      send: async () => ({ secret: SECRET }),
    };
    enrolment.choose("fleet.csv", "terminalId,merchantId\nT-1,M-1\nT-2,M-2\nT-3,M-3\nT-4,M-3\nT-5,\n");
    await enrolment.enrol(calls as unknown as Calls);
    expect(enrolment.state.value).toMatchObject({
      unknownMerchants: ["M-2", "M-3"],
      run: { state: "ended" },
      unsaved: 5,
    });
  });

  it("says what is wrong with a file", ({ expect }) => {
    const enrolment = new Enrolment(storage());
    enrolment.choose("fleet.csv", "name\nx\n");
    expect(enrolment.state.value).toMatchObject({
      wanted: [],
      problem: expect.stringMatching(/^fleet\.csv:\nThe first line/),
    });
  });
});
