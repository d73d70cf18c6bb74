/** What the gateway tells its own console. */
export interface ConsoleSettings {
  /** The life of a request. */
  requestSeconds: number;
  /** Whether the operator's page is on. */
  operatorConsole: boolean;
}

export const CONSOLE_SETTINGS_PATH = "/console/settings.json";
