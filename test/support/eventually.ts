/** How often, and for how long in milliseconds each, a test looks for what must come soon. */
const LOOKS = 2_000;
const BETWEEN_LOOKS = 5;

/** Looks until a look throws nothing, and returns what it saw. In real time: `vi.waitFor` moves a faked clock. */
export async function eventually<Seen>(look: () => Seen | Promise<Seen>): Promise<Seen> {
  for (let looks = 1; ; looks++) {
    try {
      return await look();
    } catch (error) {
      if (looks >= LOOKS) throw error;
    }
    await scheduler.wait(BETWEEN_LOOKS);
  }
}
