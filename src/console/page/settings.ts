import { CONSOLE_SETTINGS_PATH, type ConsoleSettings } from "../../protocol/console-settings.ts";

/** Null if they could not be loaded: the page then uses defaults. */
export async function loadSettings(): Promise<ConsoleSettings | null> {
  try {
    const response = await fetch(CONSOLE_SETTINGS_PATH, { credentials: "omit" });
    return response.ok ? ((await response.json()) as ConsoleSettings) : null;
  } catch {
    return null;
  }
}
