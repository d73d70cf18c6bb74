/** A point of sale's signed messages, as a test needs them: right by default, wrong on request. */
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import { accessToken, boundPair, call, uniqueId } from "./gateway.ts";
import type { Account, Answer, CallOptions, EnrolledTerminal } from "./gateway.ts";

export interface TransferAnswer {
  transType: string;
  posId: string;
  deviceId: string;
  referenceId: string;
  statusCode: "00" | "11" | "22";
  responseCode: string;
  responseText?: string;
  softwareVersion: string;
  terminalSn: string;
  transData?: Record<string, string>;
  originalTransType?: string;
  originalReferenceId?: string;
  openReferenceId?: string;
  voidStatus?: string;
  apiVersion: string;
  signature: string;
  code?: number;
  error?: string;
  details?: { path: string; message: string }[];
}

export type Members = Record<string, unknown>;

export class Pos {
  readonly account: Account;
  readonly terminal: EnrolledTerminal;
  readonly token: string;

  constructor(account: Account, terminal: EnrolledTerminal, token: string) {
    this.account = account;
    this.terminal = terminal;
    this.token = token;
  }

  /** A new account with a terminal that is bound to it and has never connected. */
  static async create(overrides: Parameters<typeof boundPair>[0] = {}): Promise<Pos> {
    const { account, terminal } = await boundPair(overrides);
    return new Pos(account, terminal, await accessToken(account));
  }

  /** A reference that no other test has. */
  reference(): string {
    return uniqueId("R");
  }

  body(transType: string, members: Members = {}): Members {
    return {
      transType,
      posId: this.account.posId,
      merchantId: this.account.merchantId,
      deviceId: this.terminal.terminalId,
      referenceId: this.reference(),
      apiVersion: "v1",
      datetime: formatDatetime(Date.now()),
      ...members,
    };
  }

  saleBody(members: Members = {}, transData: Members = {}): Members {
    return this.body("sale", { transData: { transAmt: "12.50", paymentMethod: "bankCard", ...transData }, ...members });
  }

  sign(body: Members): Members {
    return withSignature(body, this.account.signingKey);
  }

  transfer(body: Members, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    return call("POST", "/api/transfer", { token: this.token, body: this.sign(body), ...options });
  }

  sale(members: Members = {}, transData: Members = {}, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    return this.transfer(this.saleBody(members, transData), options);
  }

  void(transId: unknown, members: Members = {}, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    return this.transfer(this.body("void", { transData: { transId }, ...members }), options);
  }

  inquiry(transData?: Members, members: Members = {}, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    const named = transData === undefined ? {} : { transData };
    return this.transfer(this.body("inquiry", { ...named, ...members }), options);
  }

  getLast(members: Members = {}, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    return this.transfer(this.body("getLast", members), options);
  }

  cancel(referenceId: string, members: Members = {}, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    const body = {
      posId: this.account.posId,
      deviceId: this.terminal.terminalId,
      referenceId,
      datetime: formatDatetime(Date.now()),
      ...members,
    };
    return call("POST", "/api/transfer/cancel", { token: this.token, body: this.sign(body), ...options });
  }

  /** The same account at another terminal, or another session's token. */
  at(terminal: EnrolledTerminal): Pos {
    return new Pos(this.account, terminal, this.token);
  }
}
