/** Who works the POS that the kit tests: a person who is told what to do, or a command. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { type Action, commandDriver, personDriver, type PosAnswer } from "../../../../src/sdk/conformance/pos/drive.ts";
import { NOBODY, type Tester } from "../../../../src/sdk/conformance/tester.ts";
import { eventually } from "../../../support/patience.ts";

const URL_OF_KIT = "http://127.0.0.1:9001";
const now = { url: URL_OF_KIT, within: 60_000, heard: Promise.resolve() };
const ACTIONS: [Action, string, string][] = [
  [{ kind: "sale", about: "1.05" }, "make a sale of 1.05, and wait until it shows an outcome.", "AMOUNT"],
  [{ kind: "void", about: "1000000042" }, "void the sale 1000000042.", "TRANS_ID"],
  [{ kind: "inquiry", about: "1000000042" }, "ask what became of the sale 1000000042.", "TRANS_ID"],
  [{ kind: "cancel", about: "R-1" }, "cancel the sale with the reference R-1.", "REFERENCE_ID"],
];

const sale = (about: string): Action => ({ kind: "sale", about });

/** Notes what is said, and answers so. */
function personWho(answer: string | null) {
  const heard: unknown[] = [];
  const tester: Tester = {
    ...NOBODY,
    tell: (text) => heard.push(text),
    confirm: async (question) => {
      heard.push(question);
      return null;
    },
    choose: async (question, choices) => {
      heard.push(question, choices);
      return choices.find((choice) => choice === answer) ?? null;
    },
  };
  return { driver: personDriver(tester), heard };
}

describe("a person at the POS", () => {
  it.for(ACTIONS)(
    "is instructed for %j, and asked for the outcome after the message",
    async ([action, text], { expect }) => {
      const message = Promise.withResolvers<void>();
      const { driver, heard } = personWho("approved");
      const driving = driver.drive(action, { ...now, heard: message.promise });
      expect(heard).toEqual([`At the POS: ${text}`]);
      message.resolve();
      expect(await driving).toBe("approved");
      const choices = ["approved", "not approved", "unknown", "error", "does not know this"];
      expect(heard.slice(1)).toEqual(["What does the POS show when it is done?", choices]);
    },
  );

  it.for<[string | null, PosAnswer]>([
    ["not approved", "not-approved"],
    ["unknown", "unknown"],
    ["error", "failed-unknown"],
    ["does not know this", "unsupported"],
    [null, "nothing"],
  ])("reports %s", async ([answer, shown], { expect }) => {
    expect(await personWho(answer).driver.drive({ kind: "sale", about: "1.00" }, now)).toBe(shown);
  });

  it("switches the POS off after its message, and is asked later", async ({ expect }) => {
    const message = Promise.withResolvers<void>();
    const { driver, heard } = personWho(null);
    const crashing = driver.crash?.({ kind: "sale", about: "1.05" }, { ...now, heard: message.promise });
    const told = ["At the POS: make a sale of 1.05, and switch the POS off at once. Then start it again."];
    expect(heard).toEqual(told);
    message.resolve();
    expect(await crashing).toBeNull();
    expect(heard).toEqual([...told, "Has the POS started again, and have you done what it asked?"]);
  });
});

describe("a command that drives a POS", () => {
  let folder: string;
  let notes: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "drive-"));
    notes = join(folder, "notes");
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** What the commands have written since the last look. */
  function noted(): string[] {
    const lines = readFileSync(notes, "utf8").split("\n").slice(0, -1);
    rmSync(notes);
    return lines;
  }

  const driverOf = (command: string, restart?: (url: string) => void) =>
    commandDriver(command, { NOTES: notes, POS_ID: "POS-1" }, { output: "hidden", restart });

  it.for<[string, PosAnswer]>([
    ["exit 0", "approved"],
    ["exit 1", "not-approved"],
    ["exit 2", "unknown"],
    ["exit 3", "failed"],
    ["exit 4", "failed-unknown"],
    ["exit 5", "unsupported"],
    // A crash is not "unsupported": the kit would skip the step.
    ["exit 6", "crashed"],
    ["no-such-command-of-any-POS", "crashed"],
    ["kill -9 $$", "nothing"],
  ])("reports, for %s: %s", async ([command, shown], { expect }) => {
    expect(await driverOf(command).drive({ kind: "void", about: "1000000042" }, now)).toBe(shown);
  });

  it.for(ACTIONS)("gets %j and the account in its environment", async ([action, , variable], { expect }) => {
    const command =
      'echo "$ACTION,$ARGUMENTS,$GATEWAY_URL,$POS_ID" > "$NOTES"; for name in AMOUNT TRANS_ID REFERENCE_ID NOTE; do eval echo "$name \\$$name" >> "$NOTES"; done';
    // What the kit itself has there is not meant for the POS.
    for (const name of ["AMOUNT", "TRANS_ID", "REFERENCE_ID", "NOTE", "ARGUMENTS"]) vi.stubEnv(name, "left over");
    expect(await driverOf(command).drive(action, now)).toBe("approved");
    vi.unstubAllEnvs();
    const { kind, about } = action;
    const set = (name: string) => `${name} ${name === variable ? about : ""}`.trim();
    expect(noted().map((line) => line.trim())).toEqual([
      `${kind},${about},${URL_OF_KIT},POS-1`,
      ...["AMOUNT", "TRANS_ID", "REFERENCE_ID", "NOTE"].map(set),
    ]);
  });

  it("is ended, without output, if it takes too long", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const command = 'trap \'echo ended >> "$NOTES"; exit 0\' TERM; echo began >> "$NOTES"; sleep 60 & wait';
    const shown = driverOf(command).drive({ kind: "sale", about: "1.00" }, now);
    await eventually(() => expect(readFileSync(notes, "utf8")).toBe("began\n"));
    vi.advanceTimersByTime(now.within);
    vi.useRealTimers();
    expect(await shown).toBe("nothing");
    await eventually(() => expect(readFileSync(notes, "utf8")).toBe("began\nended\n"));
    rmSync(notes);
  });

  const killed = (): number => Number(/^sale 1.00 (\d+)$/mu.exec(readFileSync(notes, "utf8"))?.[1]);

  it("is killed when its message has arrived, and started again", async ({ expect }) => {
    const command = 'echo "$ACTION $ARGUMENTS $$" >> "$NOTES"; [ "$ACTION" = recover ] || sleep 60; exit 2';
    const restarted: unknown[] = [];
    const driver = driverOf(command, (url) => {
      expect(() => process.kill(killed(), 0)).toThrow("ESRCH");
      restarted.push(url);
    });
    const heard = eventually(() => expect(killed()).toBeGreaterThan(0));
    vi.stubEnv("ARGUMENTS", "left over");
    expect(await driver.crash?.({ kind: "sale", about: "1.00" }, { ...now, heard })).toBe("unknown");
    vi.unstubAllEnvs();
    expect([restarted, noted().at(-1)]).toEqual([[URL_OF_KIT], expect.stringMatching(/^recover  \d+$/u)]);
  });

  it("is started beside a process, which is then killed, and recovers", async ({ expect }) => {
    const command = 'echo "$ACTION $ARGUMENTS" >> "$NOTES"; [ "$ARGUMENTS" = 1.00 ] && sleep 60; exit 2';
    const heard = eventually(() => expect(readFileSync(notes, "utf8")).toBe("sale 1.00\n"));
    const [first, second] = [sale("1.00"), sale("2.00")];
    expect(await driverOf(command).crashBeside?.(first, second, { ...now, heard })).toBe("unknown");
    expect(noted()).toEqual(["sale 1.00", "sale 2.00", "recover "]);
  });

  it("recovers, and has a note for a sale", async ({ expect }) => {
    const driver = driverOf('echo "$ACTION,$NOTE" >> "$NOTES"; exit 0');
    expect(await driver.recover?.(now)).toBe("approved");
    await driver.drive({ ...sale("1.00"), note: "<&>" }, now);
    expect(noted()).toEqual(["recover,", "sale,<&>"]);
  });

  it.for([
    ["when it has had its time", 1_000, "sleep 60", /^(?:sale 1.00,)?recover $/u],
    ["when it has ended before", 60_000, "exit 3", /^sale 1.00,recover $/u],
  ] as const)("is killed %s, and started again to recover", async ([, within, sells, does], { expect }) => {
    const command = `echo "$ACTION $ARGUMENTS" >> "$NOTES"; if [ "$ACTION" = sale ]; then ${sells}; fi; exit 2`;
    const heard = new Promise<void>(() => undefined);
    const shown = await driverOf(command).crash?.({ kind: "sale", about: "1.00" }, { ...now, heard, within });
    expect(shown).toBe("unknown");
    expect(noted().join()).toMatch(does);
  });
});
