/** The complete POS programs of the documentation, and how their programs are prepared and run. */
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./outside.ts";
import { Program } from "./program.ts";

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
interface Sample extends Example {
  receive?: string[];
}

export const SAMPLES: Sample[] = [
  {
    name: "Python",
    files: ["pos/pos.py", "pos/receive.py"],
    tools: ["python3"],
    run: ["python3", "pos/pos.py"],
    receive: ["python3", "pos/receive.py"],
  },
  {
    name: "PHP",
    files: ["pos/pos.php"],
    tools: ["php"],
    run: ["php", "pos/pos.php"],
    receive: ["php", "-S", "localhost:{port}", "pos/pos.php"],
  },
  {
    name: "Java",
    files: ["pos/Pos.java", "pos/Json.java", "pos/Events.java"],
    tools: ["java", "javac"],
    compile: "javac -Werror -Xlint -d {folder} pos/Pos.java pos/Json.java pos/Events.java".split(" "),
    // Java starts dozens of times, each for a moment: without these, it would spend most of its time compiling.
    run: ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "{folder}", "Pos"],
  },
  {
    name: "C#",
    files: ["pos/Pos.cs", "pos/Json.cs", "pos/Events.cs"],
    tools: ["mcs", "mono", "/usr/lib/mono/4.5/System.Net.Http.dll"],
    compile:
      "mcs -warnaserror -warn:4 -r:System.Net.Http -out:{folder}/Pos.exe pos/Pos.cs pos/Json.cs pos/Events.cs".split(
        " ",
      ),
    run: ["mono", "{folder}/Pos.exe"],
  },
];

/** Looks for a command, or for a library by its path. */
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

/** Folders with what was compiled, by its command. They are there until this process ends. */
const compiled = new Map<string, Promise<string>>();

async function compile([compiler = "", ...args]: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "compiled-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const words = args.map((word) => word.replace("{folder}", folder));
  await promisify(execFile)(compiler, words, { cwd: EXAMPLES });
  return folder;
}

/** Compiles a program, once for all tests of this process, and returns the words of the command that runs it. */
export async function prepared(example: Example): Promise<string[]> {
  if (example.compile === undefined) return example.run;
  const key = example.compile.join(" ");
  const folder = compiled.get(key) ?? compile(example.compile);
  compiled.set(key, folder);
  const place = await folder;
  return example.run.map((word) => word.replace("{folder}", place));
}

/** Runs a program with some input. */
export function started([command = "", ...args]: readonly string[], env: Record<string, string>, input = ""): Program {
  const program = new Program(args, { cwd: EXAMPLES, env }, command);
  program.endInput(input);
  return program;
}
