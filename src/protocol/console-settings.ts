/** What the gateway tells its own console. */
export interface ConsoleSettings {
  /** The life of a request. */
  requestSeconds: number;
}

export const CONSOLE_SETTINGS_PATH = "/console/settings.json";
