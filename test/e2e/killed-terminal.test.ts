/** A terminal's process that is killed in the middle of a transaction and started again. */
import { afterEach, beforeAll, describe, it } from "vitest";
import { newReferenceId } from "../../src/sdk/client/pos.ts";
import type { PosClient, TransferAnswer } from "../../src/sdk/client/pos.ts";
import { createAccount, posOf } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";
import type { OutsideAccount } from "../support/fresh-project.ts";
import { ROOT, WALLET } from "../support/outside.ts";
import { COMMAND, TerminalProcess } from "../support/terminal-process.ts";

let account: OutsideAccount;
let pos: PosClient;
let count = 0;
const running: TerminalProcess[] = [];

beforeAll(async () => {
  // What Node compiles it keeps at the end of a process, which those here never see: this one does it for all of them.
  await new Program([COMMAND, "--help"], { cwd: ROOT }).end();
  account = await createAccount();
  pos = posOf(account);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((terminal) => terminal.program.end("SIGKILL")));
});

async function started(): Promise<TerminalProcess> {
  const terminal = new TerminalProcess(`T-KILLED-${(count += 1)}`, account);
  running.push(terminal);
  await terminal.start("--pace", "250");
  return terminal;
}

/** Begins a transaction of each kind. */
const BEGIN: Record<string, (deviceId: string, referenceId: string) => Promise<TransferAnswer>> = {
  sale: (deviceId, referenceId) => pos.sale({ deviceId, referenceId, transAmt: "300.00", paymentMethod: "bankCard" }),
  cashOut: (deviceId, referenceId) => pos.cashOut({ deviceId, referenceId, transAmt: "5.00", cashAmt: "50.00" }),
  "sale by the customer's code": (deviceId, referenceId) =>
    pos.sale({ deviceId, referenceId, transAmt: "6.00", paymentMethod: "qrMerchScan" }),
  "sale by the merchant's code": (deviceId, referenceId) =>
    pos.sale({ deviceId, referenceId, transAmt: "7.00", paymentMethod: "qrCustScan", paymentChannel: WALLET }),
  "pending sale": (deviceId, referenceId) =>
    pos.sale({ deviceId, referenceId, transAmt: "8.22", paymentMethod: "bankCard" }),
};

describe("a terminal that is killed and started again", () => {
  it.for([
    ["sale", "Tap, insert", "11", "RESTARTED"],
    ["sale", "Enter PIN", "11", "RESTARTED"],
    ["sale", "Authorising", "11", "25"],
    ["sale", "CUSTOMER COPY", "00", "00"],
    ["sale", "ended: 00", "00", "00"],
    ["cashOut", "Reading the card", "11", "RESTARTED"],
    ["cashOut", "Authorising", "11", "25"],
    ["cashOut", "MERCHANT COPY", "00", "00"],
    ["sale by the customer's code", "Reading the code", "11", "RESTARTED"],
    ["sale by the customer's code", "MERCHANT COPY", "00", "00"],
    ["sale by the merchant's code", "Authorising", "11", "25"],
    ["sale by the merchant's code", "MERCHANT COPY", "00", "00"],
    ["pending sale", "ended: 22", "00", "00"],
  ] as const)("reports the truth after dying in a %s at “%s”: %s %s", async (scene, { expect }) => {
    const [kind, moment, statusCode, responseCode] = scene;
    const terminal = await started();
    const referenceId = newReferenceId();
    const answer = BEGIN[kind]?.(terminal.terminalId, referenceId);
    await terminal.program.says(moment);
    await terminal.program.end("SIGKILL");
    await terminal.start("--pace", "250");
    expect(await answer).toMatchObject({ statusCode, responseCode });
    expect(terminal.ledger.of(account.posId, referenceId)).toHaveLength(statusCode === "00" ? 1 : 0);
  });

  it.for([
    ["Void this transaction", "11", "RESTARTED"],
    ["Authorising", "11", "25"],
    ["MERCHANT COPY", "00", "00"],
  ] as const)(
    "reports the truth after dying in a void at “%s”: %s %s",
    async ([moment, statusCode, responseCode], { expect }) => {
      const terminal = await started();
      const deviceId = terminal.terminalId;
      const request = { deviceId, referenceId: newReferenceId(), transAmt: "9.00", paymentMethod: "bankCard" } as const;
      const sale = await pos.sale({ ...request, printCount: 0 });
      const transId = sale.transData?.transId ?? "";
      const answer = pos.void({ deviceId, referenceId: newReferenceId(), transId });
      await terminal.program.says("Void this transaction");
      await terminal.program.says(moment, { after: "Void this transaction" });
      await terminal.program.end("SIGKILL");
      await terminal.start("--pace", "250");
      expect(await answer).toMatchObject({ statusCode, responseCode });
      expect(terminal.ledger.charges.filter(({ voidedBy }) => voidedBy !== null)).toHaveLength(
        statusCode === "00" ? 1 : 0,
      );
    },
  );

  it("locks its files while it runs, and frees them when it ends", async ({ expect }) => {
    const terminal = await started();
    const second = new TerminalProcess(terminal.terminalId, account);
    await expect(second.start()).rejects.toThrow("already runs this terminal");
    await terminal.program.end("SIGKILL");
    await second.start();
    running.push(second);
  });
});
