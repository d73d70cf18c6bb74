/** The sample terminal in Java, how it is compiled, and its process, to be killed. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "../../src/protocol/signing/json.ts";
import type { RunningCommand } from "../../src/sdk/conformance/tester.ts";
import { ROOT } from "./outside.ts";
import type { Program } from "./program.ts";
import { EXAMPLES, started, type Example } from "./samples.ts";

const PACKAGE = "terminal/paymentterminal";
const SAMPLE = "terminal/SampleTerminal.java";

/** Needs OkHttp: it is for Android, which has no `java.net.http`. */
const FOR_ANDROID = "OkHttpNetwork.java";

const CLIENT = readdirSync(join(EXAMPLES, PACKAGE))
  .filter((name) => name !== FOR_ANDROID)
  .map((name) => `${PACKAGE}/${name}`);

/** The language level of Android's tools. */
const COMPILER = ["javac", "--release", "11", "-Werror", "-Xlint:all", "-d", "{folder}"];

/** Java starts often, each time for a moment: without these it would spend most of its time compiling. */
const JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"];

export const JAVA_TERMINAL: Example = {
  name: "Java terminal",
  files: [SAMPLE, ...CLIENT],
  tools: ["java", "javac"],
  compile: [...COMPILER, SAMPLE, ...CLIENT],
  run: [...JAVA, "{folder}", "SampleTerminal"],
};

const DISTURBED = join(ROOT, "test/java/SettableClockTerminal.java");

/** The same, for a test that sets its clock and fills its disk. */
export const DISTURBED_TERMINAL: Example = {
  ...JAVA_TERMINAL,
  name: "Java terminal with faults",
  tools: [...JAVA_TERMINAL.tools, "prlimit"],
  compile: [...COMPILER, SAMPLE, ...CLIENT, DISTURBED],
  run: [...JAVA, "{folder}", "SettableClockTerminal"],
};

/** Exchanges an activation code. */
export const JAVA_ACTIVATION: Example = {
  name: "Java terminal's activation",
  files: JAVA_TERMINAL.files,
  tools: JAVA_TERMINAL.tools,
  compile: [...COMPILER, ...CLIENT, join(ROOT, "test/java/Activate.java")],
  run: [...JAVA, "{folder}", "Activate"],
};

const LIBRARIES = ["/usr/share/java/okhttp.jar", "/usr/share/java/okio.jar"];

/** The same with OkHttp, as Debian packages it (libokhttp-java). */
export const ANDROID_TERMINAL: Example = {
  name: "Java terminal with OkHttp",
  files: [...JAVA_TERMINAL.files, `${PACKAGE}/${FOR_ANDROID}`],
  tools: ["java", "javac", ...LIBRARIES],
  compile: [
    ...COMPILER,
    "-cp",
    LIBRARIES.join(":"),
    ...JAVA_TERMINAL.files,
    `${PACKAGE}/${FOR_ANDROID}`,
    join(ROOT, "test/java/OkHttpTerminal.java"),
  ],
  run: [...JAVA, `{folder}:${LIBRARIES.join(":")}`, "OkHttpTerminal"],
};

/** Scenes of the client's state machine: one line for each. */
export const JAVA_MACHINE: Example = {
  name: "Java terminal's machine",
  files: JAVA_TERMINAL.files,
  tools: JAVA_TERMINAL.tools,
  compile: [...COMPILER, ...CLIENT, join(ROOT, "test/java/MachineTest.java")],
  run: [...JAVA, "{folder}", "MachineTest"],
};

interface Settings {
  /** The words that start it, from `prepared`. */
  command: string[];
  url: string;
  terminalId: string;
  secret: string;
  bindKey: string;
  /** Where it keeps memory and ledger. */
  data: string;
  /** Each stage takes so long. */
  pace: number;
}

export class JavaTerminal {
  readonly #settings: Settings;
  program: Program;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.program = this.#started();
  }

  /** As after a power cut. */
  async restart(): Promise<void> {
    await this.program.end("SIGKILL");
    this.program = this.#started();
  }

  /** Another process on the same store. */
  startSecond(): RunningCommand {
    const second = this.#started();
    return { ended: second.end(), end: (signal) => void second.end(signal) };
  }

  /**
   * The disk is full: every write to a file fails (https://man7.org/linux/man-pages/man2/getrlimit.2.html, RLIMIT_FSIZE),
   * also those of the host's ledger.
   */
  async fillDisk(): Promise<void> {
    await this.#limitFiles("0");
  }

  async freeDisk(): Promise<void> {
    await this.#limitFiles("unlimited");
  }

  /** Sets the machine's wall clock to this many milliseconds from the right time. */
  setClock(milliseconds: number): void {
    const { data } = this.#settings;
    writeFileSync(join(data, "clock.next"), String(milliseconds));
    renameSync(join(data, "clock.next"), join(data, "clock"));
  }

  async #limitFiles(size: string): Promise<void> {
    await promisify(execFile)("prlimit", ["--pid", String(this.program.pid), `--fsize=${size}:`]);
  }

  /** What the host has charged, by the file that it keeps. */
  get charges(): JsonObject[] {
    const { data, url, terminalId } = this.#settings;
    const path = join(data, new URL(url).host.replace(":", "_"), terminalId, "ledger.jsonl");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line) as JsonObject).filter(({ kind }) => kind === "charge");
  }

  #started(): Program {
    const { command, url, terminalId, secret, bindKey, data, pace } = this.#settings;
    return started(command, {
      GATEWAY_URL: url,
      TERMINAL_ID: terminalId,
      TERMINAL_SECRET: secret,
      BIND_KEY: bindKey,
      TERMINAL_FOLDER: data,
      CLOCK_FILE: join(data, "clock"),
      PACE: String(pace),
      RECONNECT: "1000",
    });
  }
}
