import { CONSOLE_SETTINGS_PATH, type ConsoleSettings } from "../../protocol/console-settings.ts";

/** Null where they cannot be had: then the page goes by what is usual. */
export async function loadSettings(): Promise<ConsoleSettings | null> {
  try {
    const response = await fetch(CONSOLE_SETTINGS_PATH, { credentials: "omit" });
    return response.ok ? ((await response.json()) as ConsoleSettings) : null;
  } catch {
    return null;
  }
}
