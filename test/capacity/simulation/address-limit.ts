/** The rate limit of logins from one address: so many in each minute, then 429 until the next one. */
export class AddressLimit {
  readonly #limit: number;
  readonly #clientsPerAddress: number;
  readonly #minute: Int32Array;
  readonly #count: Int32Array;

  /**
   * @param clientsPerAddress how many share one; clients are numbered from 0
   * @param limit logins of one address in a minute
   */
  constructor(clients: number, clientsPerAddress: number, limit: number) {
    const addresses = Math.ceil(clients / clientsPerAddress);
    this.#limit = limit;
    this.#clientsPerAddress = clientsPerAddress;
    this.#minute = new Int32Array(addresses).fill(-1);
    this.#count = new Int32Array(addresses);
  }

  /** Counts a login; false: it is one too many. */
  admits(client: number, now: number): boolean {
    const address = Math.floor(client / this.#clientsPerAddress);
    const minute = Math.floor(now / 60_000);
    if (this.#minute[address] !== minute) {
      this.#minute[address] = minute;
      this.#count[address] = 0;
    }
    const count = (this.#count[address] ?? 0) + 1;
    this.#count[address] = count;
    return count <= this.#limit;
  }
}
