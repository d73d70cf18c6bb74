/**
 * Runs a function of the caller. What it throws is logged: a mistake in it must end neither a payment nor the program.
 *
 * @param name of the option that the caller passed it as
 */
export async function callBack(name: string, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(`${name} failed:`, error);
  }
}
