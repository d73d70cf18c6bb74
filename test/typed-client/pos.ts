/**
 * What a POS's developer writes with the package payment-terminal-client, under the strictest options and in every way
 * that TypeScript resolves a package.
 */
import { FileStore } from "payment-terminal-client/file-store";
import { IndexedDbStore } from "payment-terminal-client/indexed-db-store";
import { PosClient, type PaymentMethod, type SaleRequest, type TransferAnswer } from "payment-terminal-client/pos";
import { TerminalClient, type TerminalHandler, type TerminalStore } from "payment-terminal-client/terminal";
import { WebhookReceiver } from "payment-terminal-client/webhook";

const TARGET = { deviceId: "T", referenceId: "R" };

/** An approval has a number. Another answer may have none. */
export function numberOf(answer: TransferAnswer): string {
  if (answer.statusCode === "00") return answer.transData.transId;
  // @ts-expect-error -- nothing may be known
  const wrong: string = answer.transData.transId;
  return answer.transData?.transId ?? wrong;
}

/** What the POS does not know is undefined. */
export async function sell(pos: PosClient, note: string | undefined, signal: AbortSignal | undefined): Promise<string> {
  const paid = { ...TARGET, transAmt: "12.50", note, metadata: undefined };
  const answer = await pos.sale({ ...paid, paymentMethod: "bankCard" }, { signal, within: undefined });
  await pos.sale({ ...paid, paymentMethod: "qrCustScan", paymentChannel: "Alipay" });
  await pos.inquiry({ ...TARGET, about: undefined });
  return numberOf(answer);
}

export function saleBy(paymentMethod: PaymentMethod, paymentChannel: string): SaleRequest {
  return { ...TARGET, transAmt: "12.50", paymentMethod, paymentChannel };
}

// @ts-expect-error -- a customer who scans needs the code of a wallet
export const wallet: SaleRequest = { ...TARGET, transAmt: "12.50", paymentMethod: "qrCustScan" };
// @ts-expect-error -- an amount is a text
export const amount: SaleRequest = { ...TARGET, transAmt: 12.5, paymentMethod: "bankCard" };

export const stores: TerminalStore[] = [new FileStore("memory.json"), new IndexedDbStore("memory")];
export const handler: TerminalHandler = { onRequest: async () => ({ statusCode: "11", responseCode: "05" }) };
export const clients = [PosClient, TerminalClient, WebhookReceiver];
