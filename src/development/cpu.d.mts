export class DescendantCpu {
  look(): void;
  /** Since construction. */
  get seconds(): number;
}
