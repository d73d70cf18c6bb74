/** The complete tills of the documentation, and how their programs are prepared and run. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./outside.ts";

export const EXAMPLES = join(ROOT, "src", "docs", "examples");

/** A program of the documentation. In its commands `{folder}` is where compiled files are. */
export interface Example {
  name: string;
  files: string[];
  tools: string[];
  compile?: string[];
  run: string[];
}

/** `receive`: the command that receives webhooks, if it is not the action `webhook`. `{port}` is where. */
export interface Till extends Example {
  receive?: string[];
}

export const TILLS: Till[] = [
  { name: "Python", files: ["till/till.py"], tools: ["python3"], run: ["python3", "till/till.py"] },
  {
    name: "PHP",
    files: ["till/till.php"],
    tools: ["php"],
    run: ["php", "till/till.php"],
    receive: ["php", "-S", "localhost:{port}", "till/till.php"],
  },
  {
    name: "Java",
    files: ["till/Till.java", "till/Json.java"],
    tools: ["java", "javac"],
    compile: ["javac", "-Werror", "-Xlint", "-d", "{folder}", "till/Till.java", "till/Json.java"],
    // Java starts dozens of times, each for a moment: without these, it would spend most of its time compiling.
    run: ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "{folder}", "Till"],
  },
  {
    name: "C#",
    files: ["till/Till.cs", "till/Json.cs"],
    tools: ["mcs", "mono", "/usr/lib/mono/4.5/System.Net.Http.dll"],
    compile: "mcs -warnaserror -warn:4 -r:System.Net.Http -out:{folder}/Till.exe till/Till.cs till/Json.cs".split(" "),
    run: ["mono", "{folder}/Till.exe"],
  },
];

/** A command, or a library by its path. */
function isInstalled(tool: string): boolean {
  const places = isAbsolute(tool) ? [""] : (process.env["PATH"] ?? "").split(delimiter);
  return places.some((place) => existsSync(join(place, tool)));
}

/** The programs whose tools are installed. Says which are left out. */
export function runnable(examples: Example[]): Example[] {
  return examples.filter(({ name, tools }) => {
    const missing = tools.filter((tool) => !isInstalled(tool));
    if (missing.length > 0) console.log(`Left out: ${name}, which needs ${missing.join(", ")}.`);
    return missing.length === 0;
  });
}

/** Compiles a program into a folder, and returns the words of the command that runs it. */
export async function prepared({ compile, run }: Example, folder: string): Promise<string[]> {
  const inFolder = (words: string[]): string[] => words.map((word) => word.replace("{folder}", folder));
  const [compiler, ...args] = inFolder(compile ?? []);
  if (compiler !== undefined) await promisify(execFile)(compiler, args, { cwd: EXAMPLES });
  return inFolder(run);
}

export class Run {
  readonly process: ChildProcess;
  stdout = "";
  stderr = "";
  /** Its exit status; null: a signal ended it. */
  readonly ended: Promise<number | null>;

  constructor([command = "", ...args]: string[], env: Record<string, string>, input = "") {
    this.process = spawn(command, args, { cwd: EXAMPLES, env: { ...process.env, ...env } });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => this.process.once("close", resolve));
    this.process.stdin?.end(input);
  }

  get lines(): string[] {
    return this.stdout.split("\n").slice(0, -1);
  }
}
