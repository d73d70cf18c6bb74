export interface ConsoleSettings {
  requestSeconds: number;
  operatorConsole: boolean;
}

export const CONSOLE_SETTINGS_PATH = "/console/settings.json";
