import { isTransactionType } from "../../protocol/transfer-types.ts";
import { blocked } from "../step.ts";
import type { Tester } from "../tester.ts";
import { textOf } from "../terminal/heard.ts";
import type { KitAccount } from "./answer.ts";
import type { PosCounterpart } from "./counterpart.ts";
import type { Action, Driver, Shown } from "./drive.ts";
import type { MessageHeard } from "./heard.ts";
import { approvedAfter } from "./script.ts";
import type { Script } from "./script.ts";

export interface PosSceneOptions {
  counterpart: PosCounterpart;
  account: KitAccount;
  driver: Driver;
  tester: Tester;
  url: string;
  patient: boolean;
  /** Milliseconds allowed for one action of the till. */
  within: number;
}

/** The result of one action of the till. */
export interface Driven {
  messages: MessageHeard[];
  shown: Shown;
}

/** The state that the steps of one run share. */
export class PosScene {
  readonly options: PosSceneOptions;
  hopeless: string | null = null;
  #cents = 0;

  constructor(options: PosSceneOptions) {
    this.options = options;
  }

  /** A new amount for each sale, so that a person can tell them apart. */
  newAmount(): string {
    this.#cents += 1;
    return `1.${String(this.#cents).padStart(2, "0")}`;
  }

  /** Makes the till sell, and answers according to the script. */
  async sale(script: Script = approvedAfter(), amount = this.newAmount(), within?: number): Promise<Driven> {
    this.options.counterpart.ledger.follow(script);
    return this.drive({ kind: "sale", amount }, within);
  }

  /** Makes the till perform an action. */
  async drive(action: Action, within = this.options.within): Promise<Driven> {
    const { counterpart, driver, url } = this.options;
    counterpart.drive += 1;
    const { drive } = counterpart;
    const from = counterpart.messages.items.length;
    const heard = counterpart.messages.next(() => true, { from, within }).then(() => undefined);
    const shown = await driver.drive(action, { url, within, heard });
    return { messages: counterpart.messages.items.filter((message) => message.drive === drive), shown };
  }
}

/** Without a sale there is no answer for the till to handle. */
export const NO_SALE = blocked("no sale arrived (see “sale”, “refresh” and “login-again”)");

/** The messages that start a transaction: sale, cashOut and void. */
export function transactions(messages: readonly MessageHeard[]): MessageHeard[] {
  return messages.filter(({ path, body }) => {
    const transType = textOf(body, "transType");
    return path === "/api/transfer" && isTransactionType(transType);
  });
}

export function referencesOf(messages: readonly MessageHeard[]): string[] {
  return [...new Set(messages.map(({ body }) => textOf(body, "referenceId")))];
}
