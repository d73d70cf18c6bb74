import { platformFetch } from "../client/deadline.ts";
import { PosClient, newReferenceId, type TransferAnswer } from "../client/pos.ts";
import { SimulatedTerminal, type SimulatedTerminalOptions } from "../simulator/simulated-terminal.ts";
import { CommandError } from "../command-line/operator/client.ts";

/** The credentials of an account's till. */
export interface CounterAccount {
  posId: string;
  merchantId: string;
  password: string;
  signingKey: string;
}

export interface CounterOptions extends Pick<SimulatedTerminalOptions, "store" | "ledger" | "pace" | "onEvent"> {
  baseUrl: string;
  account: CounterAccount;
  terminal: { terminalId: string; secret: string };
}

export interface CounterSale {
  /** The request as it was sent. */
  request: unknown;
  answer: TransferAnswer;
}

/** A shop's counter: a till and a simulated terminal. */
export class Counter {
  readonly account: CounterAccount;
  readonly pos: PosClient;
  readonly terminal: SimulatedTerminal;
  readonly #terminalId: string;
  #lastRequest: unknown = null;

  constructor({ baseUrl, account, terminal, ...simulated }: CounterOptions) {
    const recordingFetch = async (request: Request): Promise<Response> => {
      if (new URL(request.url).pathname === "/api/transfer") this.#lastRequest = await request.clone().json();
      return platformFetch(request);
    };
    this.account = account;
    this.#terminalId = terminal.terminalId;
    const { posId, merchantId, password, signingKey } = account;
    this.pos = new PosClient({ baseUrl, posId, merchantId, password, signingKey, fetch: recordingFetch });
    this.terminal = new SimulatedTerminal({ baseUrl, ...terminal, ...simulated });
  }

  /** Switches the simulated terminal on, and binds it if it is not bound yet. */
  async connect(): Promise<void> {
    await this.terminal.start();
    if (this.terminal.client.binding.posId === this.account.posId) return;
    const { key } = await this.pos.bindKey();
    const bound = await this.terminal.bind(key);
    if (!bound.ok) throw new CommandError(`${this.#terminalId} could not be bound: ${JSON.stringify(bound.error)}`);
  }

  /** One sale through the public endpoint. */
  async sale(transAmt: string): Promise<CounterSale> {
    const answer = await this.pos.sale({
      deviceId: this.#terminalId,
      referenceId: newReferenceId(),
      transAmt,
      paymentMethod: "bankCard",
    });
    return { request: this.#lastRequest, answer };
  }
}
