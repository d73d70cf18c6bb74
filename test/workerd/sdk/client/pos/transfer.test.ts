/** Transfers of the POS client. */
import { afterEach, describe, it, vi } from "vitest";
import type { TransferProgress } from "../../../../../src/sdk/client/pos.ts";
import { newReferenceId, readAnswer } from "../../../../../src/sdk/client/pos/transfer.ts";
import { signMessage } from "../../../../../src/sdk/client/signature.ts";
import { BASE_URL } from "../../../../support/gateway.ts";
import { frontDoor } from "../../../../support/simulated-terminal.ts";
import {
  ANSWER_LOST,
  answered,
  connect,
  cutAfter,
  endedAfter,
  LOST,
  SLOW,
  stopTerminals,
  streamOf,
  ScenePos,
} from "./open-pos.ts";
import { failureOf, refused } from "./scripted.ts";

stopTerminals();

afterEach(() => {
  vi.useRealTimers();
});

function hotel(): Response {
  return new Response("<html>Log in to the hotel's network</html>", { headers: { "Content-Type": "text/html" } });
}

describe("a transfer", () => {
  it("returns its outcome for each type", async ({ expect }) => {
    const pos = await ScenePos.create();
    await connect(pos);
    const { deviceId } = pos.sale();
    const sale = await pos.client.sale(pos.sale());
    expect(sale).toMatchObject({ statusCode: "00", transType: "sale", transData: { transAmt: "12.50" } });
    const transId = sale.transData?.transId ?? "";
    const amounts = { transAmt: "50.00", cashAmt: "20.00" };
    const cashOut = await pos.client.cashOut({ deviceId, referenceId: newReferenceId(), ...amounts });
    expect(cashOut).toMatchObject({ statusCode: "00", transData: amounts });
    const voided = await pos.client.void({ deviceId, referenceId: newReferenceId(), transId });
    expect(voided).toMatchObject({ statusCode: "00", transData: { transId } });
    const inquiry = await pos.client.inquiry({ deviceId, referenceId: newReferenceId(), about: { transId } });
    expect(inquiry).toMatchObject({ statusCode: "00", originalReferenceId: sale.referenceId, voidStatus: "00" });
    const last = await pos.client.getLast({ deviceId, referenceId: newReferenceId() });
    expect(last).toMatchObject({ statusCode: "00", originalReferenceId: voided.referenceId });
    const cancelled = await pos.client.cancel({ deviceId, referenceId: newReferenceId() });
    expect(cancelled).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
  });

  it.for([
    ["before it arrives", LOST],
    ["after it arrived", ANSWER_LOST],
    ["after a hotel's login page", async () => hotel()],
  ] as const)("is sent again and charged once if the connection fails %s", async ([, fate], { expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    const terminal = await connect(pos);
    pos.onTheWayTo("/api/transfer", fate, fate);
    const request = pos.sale();
    expect((await pos.client.sale(request)).statusCode).toBe("00");
    expect(pos.bodies("/api/transfer")).toHaveLength(3);
    expect(terminal.ledger.of(pos.account.posId, request.referenceId)).toHaveLength(1);
  });

  it("is repeated as the same transaction with a new signature", async ({ expect }) => {
    let now = Date.now();
    const pos = await ScenePos.create({ random: () => 0, now: () => now });
    await connect(pos);
    pos.onTheWayTo("/api/transfer", async () => {
      now += 5_000;
      throw new TypeError("connection refused");
    });
    await pos.client.sale(pos.sale());
    const [first, second] = pos.bodies("/api/transfer").map(({ datetime, signature, ...rest }) => ({
      stamp: { datetime, signature },
      rest,
    }));
    expect(second?.rest).toEqual(first?.rest);
    expect(second?.stamp.datetime).not.toBe(first?.stamp.datetime);
    expect(second?.stamp.signature).not.toBe(first?.stamp.signature);
  });

  it("is asked about while pending, until it is completed", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    const terminal = await connect(pos);
    const request = pos.sale({ transAmt: "10.22" });
    expect((await pos.client.sale(request)).statusCode).toBe("00");
    expect(terminal.ledger.of(pos.account.posId, request.referenceId)).toHaveLength(1);
  });

  it("reports its progress while it waits", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    await connect(pos);
    pos.onTheWayTo("/api/transfer", LOST);
    const told: TransferProgress[] = [];
    await pos.client.sale(pos.sale({ transAmt: "10.22" }), { onProgress: (progress) => told.push(progress) });
    const changes = told.filter(({ state, attempt }, index) => {
      const before = told[index - 1];
      return before?.state !== state || before.attempt !== attempt;
    });
    expect(changes).toMatchObject([
      { state: "asking", attempt: 1, pending: null, problem: null },
      { state: "waiting", attempt: 1, pending: null, problem: { kind: "unreachable" } },
      { state: "asking", attempt: 2, pending: null },
      { state: "waiting", attempt: 2, pending: { statusCode: "22", responseCode: "09" }, problem: null },
      { state: "asking", attempt: 3, pending: { statusCode: "22" } },
    ]);
    for (const { elapsed, left } of told) expect(elapsed + left).toBe(180_000);
  });

  it("reports the stages that it reaches as they come, each once", async ({ expect }) => {
    const pos = await ScenePos.create();
    await connect(pos);
    const told: string[][] = [];
    const onProgress = ({ stages }: TransferProgress): void => void told.push(stages.map(({ stage }) => stage));
    expect((await pos.client.sale(pos.sale(), { onProgress })).statusCode).toBe("00");
    const all = ["received", "sent", "accepted", "present", "reading", "authorising", "printing"];
    expect(told.at(-1)).toEqual(all);
    expect(new Set(told.map((stages) => stages.length)).size).toBe(all.length + 1);
    expect(pos.sent.at(-1)?.accept).toBe("text/event-stream, application/json;q=0.9");
    expect(pos.bodies("/api/transfer")).toHaveLength(1);
  });

  it.for([
    [
      "throws",
      () => {
        throw new Error("a mistake of the caller");
      },
    ],
    // An asynchronous function compiles as one that returns nothing, too.
    ["rejects", (() => Promise.reject(new Error("a mistake of the caller"))) as () => never],
  ] as const)("goes on if onProgress %s, which is logged", async ([, onProgress], { expect }) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const pos = await ScenePos.create();
    await connect(pos);
    expect((await pos.client.sale(pos.sale(), { onProgress })).statusCode).toBe("00");
    expect(logged).toHaveBeenCalledWith("onProgress failed:", new Error("a mistake of the caller"));
    logged.mockRestore();
  });

  it("fails with the option's name if the signing key is wrong", async ({ expect }) => {
    const pos = await ScenePos.create({ signingKey: "another key" });
    const error = await failureOf(pos.client.sale(pos.sale()));
    expect(error).toMatchObject({ kind: "invalid_request", outcomeUnknown: false });
    expect(error.message).toContain("signingKey: This is not the account's signing key.");
    expect(error.message).not.toContain("RFC 8785");
  });

  it("does not ask for stages that the caller does not want", async ({ expect }) => {
    const pos = await ScenePos.create();
    await connect(pos);
    const request = pos.sale();
    await pos.client.sale(request);
    await pos.client.cancel(request, { onProgress: () => undefined });
    expect(pos.sent.filter(({ path }) => path.startsWith("/api/transfer")).map(({ accept }) => accept)).toEqual([
      null,
      null,
    ]);
  });

  it("is sent again when its stream breaks, and reports no stage twice", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    const terminal = await connect(pos);
    pos.onTheWayTo("/api/transfer", cutAfter("accepted"), cutAfter("received"), endedAfter("accepted"));
    const problems = new Set<string>();
    let last: string[] = [];
    const request = pos.sale();
    const answer = await pos.client.sale(request, {
      onProgress: ({ stages, problem }) => {
        last = stages.map(({ stage }) => stage);
        if (problem !== null) problems.add(problem.kind);
      },
    });
    expect(answer.statusCode).toBe("00");
    expect(pos.bodies("/api/transfer")).toHaveLength(4);
    expect([...problems]).toEqual(["unreachable"]);
    expect(last).toEqual([...new Set(last)]);
    expect(last.slice(0, 4)).toEqual(["received", "sent", "accepted", "present"]);
    expect(terminal.ledger.of(pos.account.posId, request.referenceId)).toHaveLength(1);
  });

  it("is forged if its stream says something else than its signed answer", async ({ expect }) => {
    const pos = await ScenePos.create();
    const answer = '{"statusCode":"00"}';
    pos.onTheWayTo("/api/transfer", async () => streamOf(`event: result\ndata: ${answer}\n\n`));
    const error = await failureOf(pos.client.sale(pos.sale(), { within: 1, onProgress: () => undefined }));
    expect(error).toMatchObject({ kind: "forged_answer", outcomeUnknown: true });
  });

  it("ignores unknown stages and events", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    await connect(pos);
    const at = "2026-11-20T18:04:07.050+08:00";
    const unknown = [{ stage: "teleporting", at }, { stage: "pin" }, null, "pin"].map((data) => JSON.stringify(data));
    const text = ["no JSON", ...unknown, JSON.stringify({ stage: "pin", at })].map(
      (data) => `event: stage\ndata: ${data}\n\n`,
    );
    pos.onTheWayTo("/api/transfer", async () =>
      streamOf(`event: other\ndata: ${JSON.stringify({ stage: "reading", at })}\n\n${text.join("")}`),
    );
    const seen: string[][] = [];
    const onProgress = ({ stages }: TransferProgress): void => void seen.push(stages.map(({ stage }) => stage));
    expect((await pos.client.sale(pos.sale(), { onProgress })).statusCode).toBe("00");
    expect(seen.find((stages) => stages.length > 0)).toEqual(["pin"]);
  });

  it("is also answered by a gateway that does not stream", async ({ expect }) => {
    const pos = await ScenePos.create();
    await connect(pos);
    pos.onTheWayTo("/api/transfer", (request) => {
      const plain = new Request(request);
      plain.headers.delete("Accept");
      return frontDoor(plain);
    });
    let stages: TransferProgress["stages"] | null = null;
    const onProgress = (progress: TransferProgress): void => void (stages = progress.stages);
    expect((await pos.client.sale(pos.sale(), { onProgress })).statusCode).toBe("00");
    expect(stages).toEqual([]);
  });

  it("gives the same refusal whether or not stages are asked for", async ({ expect }) => {
    const pos = await ScenePos.create();
    const error = await failureOf(pos.client.sale(pos.sale({ transAmt: "12.5" }), { onProgress: () => undefined }));
    expect(error).toMatchObject({ kind: "invalid_request", outcomeUnknown: false });
    expect(error.problem.details?.map(({ path }) => path)).toEqual(["transData.transAmt"]);
  });

  it("comes back at once if only the operator can resolve it", async ({ expect }) => {
    const pos = await ScenePos.create();
    const terminal = await connect(pos, SLOW);
    const request = pos.sale();
    await pos.client.sale(request, { within: 1_500 });
    // Another device comes with the same identity, and an empty memory.
    terminal.powerCut();
    await connect(pos);
    const before = pos.bodies("/api/transfer").length;
    expect(await pos.client.sale(request)).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    expect(pos.bodies("/api/transfer")).toHaveLength(before + 1);
  });

  it("comes back as its 22 when the time runs out", async ({ expect }) => {
    const pos = await ScenePos.create();
    await connect(pos, SLOW);
    const answer = await pos.client.sale(pos.sale(), { within: 1_500 });
    expect(answer).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
    expect(pos.sent.at(-1)?.prefer).toBe("respond-async");
  });

  it("fails with the refused fields, and moves no money", async ({ expect }) => {
    const pos = await ScenePos.create();
    const error = await failureOf(pos.client.sale(pos.sale({ transAmt: "12.5" })));
    expect(error).toMatchObject({ kind: "invalid_request", outcomeUnknown: false });
    expect(error.problem.details?.map(({ path }) => path)).toEqual(["transData.transAmt"]);
  });

  it("has an unknown outcome if refused after a possible arrival", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    pos.onTheWayTo("/api/transfer", LOST, answered(400));
    expect(await failureOf(pos.client.sale(pos.sale()))).toMatchObject({
      kind: "invalid_request",
      outcomeUnknown: true,
    });
  });

  it("ends with an inquiry, not another charge, after a weekend", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    await connect(pos);
    const sale = pos.sale();
    expect((await pos.client.sale(sale)).statusCode).toBe("00");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 3 * 86_400_000);
    const error = await failureOf(pos.client.sale(sale));
    expect(error).toMatchObject({ kind: "invalid_request", next: "inquiry", outcomeUnknown: true });
    expect(error.message).toMatch(/^Send an inquiry\. Do not charge again\. /u);
    const { deviceId, referenceId } = sale;
    const answer = await pos.client.inquiry({ deviceId, referenceId });
    expect(answer).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
  });

  it("ends at the account's list when the terminal has forgotten it", async ({ expect }) => {
    const pos = await ScenePos.create();
    pos.onTheWayTo("/api/transfer", async () => refused(400, { code: 40010, error: "invalid_request", details: [] }));
    const { deviceId, referenceId } = pos.sale();
    const error = await failureOf(pos.client.inquiry({ deviceId, referenceId, about: { referenceId } }));
    expect(error).toMatchObject({ kind: "invalid_request", next: "transactions", outcomeUnknown: true });
    expect(error.message).toMatch(/^Look for the referenceId in the account's transactions\. Do not charge again\. /u);
  });

  it.for([
    ["in another status", { statusCode: "00", responseCode: "00" }],
    ["without a signature", { signature: undefined }],
    ["with a signature of zeros", { signature: "0".repeat(64) }],
  ] as const)("is forged if it is answered %s: an error, never a result", async ([, changes], { expect }) => {
    const pos = await ScenePos.create();
    pos.onTheWayTo("/api/transfer", async (_, pass) => {
      const answer: object = await (await pass()).json();
      return Response.json({ ...answer, ...changes });
    });
    expect(await failureOf(pos.client.sale(pos.sale(), { within: 1 }))).toMatchObject({
      kind: "forged_answer",
      outcomeUnknown: true,
    });
  });

  it("is forged if answered with the genuine answer to another transfer", async ({ expect }) => {
    const pos = await ScenePos.create();
    let other: unknown;
    pos.onTheWayTo("/api/transfer", async (_, pass) => {
      const response = await pass();
      other = await response.clone().json();
      return response;
    });
    await pos.client.sale(pos.sale());
    pos.onTheWayTo("/api/transfer", async () => Response.json(other));
    expect(await failureOf(pos.client.sale(pos.sale(), { within: 1 }))).toMatchObject({ kind: "forged_answer" });
  });

  it.for([
    ["answer", { referenceId: "R-9" }, { originalReferenceId: "R-9" }],
    ["answer", { referenceId: "R-9" }, { statusCode: "11", transData: undefined }],
    ["forged", { referenceId: "R-9" }, { originalReferenceId: "R-8" }],
    ["forged", undefined, { originalReferenceId: "R-8" }],
    ["answer", { transId: "1000000000" }, { originalReferenceId: "R-9" }],
    ["forged", { transId: "1000000001" }, { originalReferenceId: "R-9" }],
  ] as const)("reads %s after an inquiry about %j from %j", async ([kind, about, changes], { expect }) => {
    const asked = { posId: "POS-1", deviceId: "T-1", referenceId: "R-1" };
    const said = { transType: "inquiry", statusCode: "00", responseCode: "00", softwareVersion: "1", terminalSn: "S" };
    const transData = { transId: "1000000000" };
    const body = await signMessage({ ...asked, ...said, transData, apiVersion: "v1", ...changes }, "key");
    const bytes = new Uint8Array(await Response.json(body).arrayBuffer());
    const read = await readAnswer(bytes, { ...asked, transType: "inquiry", transData: about }, "key");
    expect(read.kind).toBe(kind);
  });

  it.for([
    ["answer", {}],
    ["answer", { statusCode: "11", transData: undefined }],
    // An approval has its number.
    ["unexpected", { transData: undefined }],
    ["unexpected", { transData: { transId: 7 } }],
    ["forged", { posId: "POS-2" }],
    ["forged", { deviceId: "T-2" }],
    ["forged", { referenceId: "R-2" }],
    // Signed with the same key, as another kind of message.
    ["forged", { datetime: "20260101T000000" }],
    ["forged", { call: "POST /api/webhooks" }],
    ["forged", { type: "result" }],
    ["unexpected", { statusCode: "33" }],
    ["unexpected", { terminalSn: 7 }],
  ] as const)("gets %s from a signed message with %j", async ([kind, changes], { expect }) => {
    const asked = { posId: "POS-1", deviceId: "T-1", referenceId: "R-1" };
    const said = { transType: "sale", statusCode: "00", responseCode: "00", softwareVersion: "1", terminalSn: "S" };
    const transData = { transId: "1000000000" };
    const body = await signMessage({ ...asked, ...said, transData, apiVersion: "v1", ...changes }, "key");
    const bytes = new Uint8Array(await Response.json(body).arrayBuffer());
    const read = await readAnswer(bytes, asked, "key");
    expect(read.kind).toBe(kind);
  });

  it("takes no proxy's page for a result", async ({ expect }) => {
    const pos = await ScenePos.create();
    pos.onTheWayTo("/api/transfer", async () => hotel());
    const error = await failureOf(pos.client.sale(pos.sale(), { within: 1 }));
    expect(error).toMatchObject({ kind: "unexpected_answer", next: "again" });
    expect(error.message).toContain("is not the gateway: the answer is text/html. Check baseUrl");
  });

  it("can be stopped by the caller, with an unknown outcome", async ({ expect }) => {
    const pos = await ScenePos.create();
    await connect(pos, SLOW);
    const stopping = new AbortController();
    pos.onTheWayTo("/api/transfer", async (_, pass) => {
      stopping.abort();
      return pass();
    });
    const { signal } = stopping;
    expect(await failureOf(pos.client.sale(pos.sale(), { signal }))).toMatchObject({
      kind: "aborted",
      outcomeUnknown: true,
    });
  });

  it("fails as unreachable when nobody answers before the time runs out", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    pos.onTheWayTo("/api/transfer", LOST, LOST, LOST, LOST, LOST);
    const error = await failureOf(pos.client.sale(pos.sale(), { within: 600 }));
    expect(error).toMatchObject({ kind: "unreachable", outcomeUnknown: true });
    expect(error.message).toBe(
      "Ask again with the same referenceId. Do not charge again. " +
        `The gateway at ${BASE_URL} could not be reached, or the connection broke.`,
    );
    expect(error.cause).toEqual(new TypeError("connection refused"));
  });
});
