/** The CPU time of this process's descendants. */
export class DescendantCpu {
  look(): void;
  /** Since this was made. */
  get seconds(): number;
}
