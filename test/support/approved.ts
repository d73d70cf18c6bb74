/** Transactions that went well, for tests about what comes after them. */
import type { Answer } from "./gateway.ts";
import type { Members, TransferAnswer } from "./pos.ts";
import type { Scene } from "./scene.ts";
import type { RequestFrame, ScriptedTerminal } from "./scripted-terminal.ts";

export interface Approved {
  body: Members;
  referenceId: string;
  request: RequestFrame;
  answer: Answer<TransferAnswer>;
}

/**
 * Sends `body` (a plain sale unless given), and the terminal accepts, carries out and reports it.
 *
 * @param members of the report
 */
export async function approved(
  here: Scene,
  connection: ScriptedTerminal,
  body: Members = here.till.saleBody(),
  members: object = {},
): Promise<Approved> {
  const answer = here.till.transfer(body);
  const request = await connection.acceptNext();
  here.approve(connection, request, members);
  await connection.next("ack");
  return { body, referenceId: String(body["referenceId"]), request, answer: await answer };
}

/** Sends `body` (a plain sale unless given), and the terminal reports 22. */
export async function reportedOpen(
  here: Scene,
  connection: ScriptedTerminal,
  body: Members = here.till.saleBody(),
): Promise<Approved> {
  const answer = here.till.transfer(body);
  const request = await connection.acceptNext();
  connection.result(request, "22");
  await connection.next("ack");
  return { body, referenceId: String(body["referenceId"]), request, answer: await answer };
}
