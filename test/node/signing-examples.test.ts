/** The signing programs of the documentation, each against the vectors that the gateway is tested with. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { vectors } from "../signing/vectors.json";
import { textOf } from "../support/site.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const EXAMPLES = join(ROOT, "src", "docs", "examples");
let folder: string;

interface Program {
  file: string;
  tools: string[];
  /** The command that prepares a program once, and the command that runs it; `{folder}` is the folder for compiled files. */
  compile?: string[];
  run: string[];
}

const PROGRAMS: Program[] = [
  { file: "sign.mjs", tools: [], run: [process.execPath, "sign.mjs"] },
  { file: "sign.sh", tools: ["bash", "awk", "openssl"], run: ["bash", "sign.sh"] },
  { file: "sign.py", tools: ["python3"], run: ["python3", "sign.py"] },
  { file: "sign.php", tools: ["php"], run: ["php", "sign.php"] },
  {
    file: "Sign.java",
    tools: ["java", "javac"],
    compile: ["javac", "-d", "{folder}", "Sign.java"],
    run: ["java", "-cp", "{folder}", "Sign"],
  },
  {
    file: "Sign.cs",
    tools: ["mcs", "mono"],
    compile: ["mcs", "-out:{folder}/Sign.exe", "Sign.cs"],
    run: ["mono", "{folder}/Sign.exe"],
  },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signing-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function isOnPath(tool: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((place) => existsSync(join(place, tool)));
}

/** Runs one of the commands, with a text as its input. */
function run(
  words: string[],
  input: string,
  key: string,
): Promise<{ status: number; lines: string[]; errors: string }> {
  const [command = "", ...args] = words.map((word) => word.replace("{folder}", folder));
  return new Promise((resolve) => {
    const options = { cwd: EXAMPLES, env: { ...process.env, SIGNING_KEY: key } };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code);
      resolve({ status, lines: stdout.split("\n"), errors: stderr });
    });
    child.stdin?.end(input);
  });
}

/** Numbers, nesting, names that sort differently by bytes, and texts that languages escape differently. */
const HARD = String.raw`{"\ue000":1,"😀":2,"z":"\ud83d\ude42","a\\/\u0001\u001f\u007f":"\u0000\u00e9</>","10":1,"9":{},"\u00e9":[],"e":[[],{},-7,true,null,""]}`;

describe.each(PROGRAMS)("$file", ({ file, tools, compile, run: command }) => {
  const missing = tools.filter((tool) => !isOnPath(tool));
  if (missing.length > 0) {
    console.log(`Left out: ${file}, which needs ${missing.join(", ")}.`);
    it("is a file", ({ expect }) => expect(existsSync(join(EXAMPLES, file))).toBe(true));
    return;
  }

  beforeAll(async () => {
    if (compile === undefined) return;
    const { status, errors } = await run(compile, "", "");
    if (status !== 0) throw new Error(errors);
  });

  it("signs as the vectors do", async ({ expect }) => {
    for (const { name, body, key, canonical, signature } of vectors) {
      const indented = JSON.stringify(body, null, 2);
      const { status, lines, errors } = await run(command, indented, key);
      expect(lines, `${name} ${errors}`).toEqual([canonical, signature, ""]);
      expect(status).toBe(0);
    }
  });

  it("accepts what is signed, and nothing else", async ({ expect }) => {
    const [{ body, key, signature } = expect.fail("there are no vectors")] = vectors;
    const signed = await run(command, JSON.stringify({ ...body, signature }), key);
    expect(signed.lines).toContain("The signature holds.");
    expect(signed.status).toBe(0);
    for (const forged of [
      { ...body, posId: "POS-0002", signature },
      { ...body, signature: "" },
    ]) {
      const { status, lines } = await run(command, JSON.stringify(forged), key);
      expect(lines).toContain("The signature does not hold.");
      expect(status).toBe(1);
    }
  });

  it("signs only messages", async ({ expect }) => {
    for (const input of ["", "[1]", '{"a":1} x', '{"a":']) {
      const { status, lines } = await run(command, input, "key");
      expect([input, lines]).toEqual([input, [""]]);
      expect(status).not.toBe(0);
    }
  });

  it("writes what languages write differently as RFC 8785 does", async ({ expect }) => {
    const { lines, errors } = await run(command, HARD, "k\u00e9y");
    expect(lines.slice(0, 2), errors).toEqual([
      '{"10":1,"9":{},"a\\\\/\\u0001\\u001f\u007f":"\\u0000é</>","e":[[],{},-7,true,null,""],"z":"🙂","é":[],"😀":2,"\ue000":1}',
      expect.stringMatching(/^[0-9a-f]{64}$/u),
    ]);
  });
});

describe("the page about signatures", () => {
  it("computes its example as the vectors do", async ({ expect }) => {
    const markdown = await readFile(join(ROOT, "src", "docs", "signatures.md"), "utf8");
    const [{ body, key, canonical, signature } = expect.fail("there are no vectors")] = vectors;
    const [, written = ""] = /^```json\n(.*?)^```$/msu.exec(markdown) ?? [];
    expect(JSON.parse(written)).toEqual(body);
    for (const part of [canonical, signature, key]) expect(textOf(markdown)).toContain(part);
  });
});
