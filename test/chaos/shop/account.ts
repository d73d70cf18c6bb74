/** An account of the gateway, with what its shop knows: credentials, devices, and where its webhook goes. */
import type { Door } from "../gateway/door.ts";

export class Account {
  readonly posId: string;
  readonly merchantId: string;
  readonly door: Door;
  /** Newest first. After an answer that was lost, nobody knows which of two is the account's. */
  passwords: string[];
  /** Newest first. */
  keys: string[];
  /** Its terminals, as far as the shop knows. */
  readonly devices = new Set<string>();
  /** Hours that its first time zone is ahead of UTC: its first day ends soon. */
  readonly hoursAhead: number;
  /** Whether the operator has moved it to the east, where that day is over. */
  isEast = false;
  /** What the shop has been told. */
  state: "active" | "suspended" | "deleted" = "active";

  constructor({ posId, merchantId, door, password, key, hoursAhead }: AccountDetails) {
    this.posId = posId;
    this.merchantId = merchantId;
    this.door = door;
    this.hoursAhead = hoursAhead;
    this.passwords = [password];
    this.keys = [key];
  }

  get key(): string {
    return this.keys[0] ?? "";
  }
}

export interface AccountDetails {
  posId: string;
  merchantId: string;
  door: Door;
  password: string;
  key: string;
  hoursAhead: number;
}
