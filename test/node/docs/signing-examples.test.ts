/** The signing programs of the documentation, each against the vectors that the gateway is tested with. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { vectors } from "../../support/protocol/signing/vectors.json";
import { ROOT } from "../../support/outside.ts";
import { textOf } from "../../support/site.ts";
import { JAVA_TERMINAL } from "../../support/java-terminal.ts";
import { type Example, prepared, started, runnable, SAMPLES } from "../../support/samples.ts";

const PROGRAMS: Example[] = [
  { name: "JavaScript", files: ["sign.mjs"], tools: [], run: [process.execPath, "sign.mjs"] },
  { name: "bash", files: ["sign.sh"], tools: ["bash", "awk", "perl"], run: ["bash", "sign.sh"] },
  ...[...SAMPLES, JAVA_TERMINAL].map((program) => ({ ...program, run: [...program.run, "sign"] })),
];

/** Numbers, nesting, names that sort differently by bytes, and texts that languages escape differently. */
const HARD = String.raw`{"\ue000":1,"😀":2,"z":"\ud83d\ude42","a\\/\u0001\u001f\u007f":"\u0000\u00e9</>","10":1,"9":{},"\u00e9":[],"e":[[],{},-7,true,null,""]}`;

describe.each(runnable(PROGRAMS))("$name", (program) => {
  let command: string[];

  beforeAll(async () => {
    command = await prepared(program);
  });

  /** Gives it a text as its input. */
  async function run(input: string, key: string): Promise<{ status: number | null; lines: string[]; errors: string }> {
    const running = started(command, { SIGNING_KEY: key }, input);
    const status = await running.end();
    return { status, lines: running.lines, errors: running.stderr };
  }

  it("signs as the vectors do", async ({ expect }) => {
    for (const { name, body, key, canonical, signature } of vectors) {
      const indented = JSON.stringify(body, null, 2);
      const { status, lines, errors } = await run(indented, key);
      expect(lines, `${name} ${errors}`).toEqual([canonical, signature]);
      expect(status).toBe(0);
    }
  });

  it("accepts what is signed, and nothing else", async ({ expect }) => {
    const [{ body, key, signature } = expect.fail("there are no vectors")] = vectors;
    const signed = await run(JSON.stringify({ ...body, signature }), key);
    expect(signed.status).toBe(0);
    for (const forged of [
      { ...body, posId: "POS-0002", signature },
      { ...body, signature: "" },
    ]) {
      const { status } = await run(JSON.stringify(forged), key);
      expect(status).toBe(1);
    }
  });

  it("signs only messages", async ({ expect }) => {
    for (const input of ["", "[1]", '{"a":1} x', '{"a":']) {
      const { status, lines } = await run(input, "key");
      expect([input, lines]).toEqual([input, []]);
      expect(status).not.toBe(0);
    }
  });

  it("writes what languages write differently as RFC 8785 does", async ({ expect }) => {
    const { lines, errors } = await run(HARD, "k\u00e9y");
    expect(lines.slice(0, 2), errors).toEqual([
      '{"10":1,"9":{},"a\\\\/\\u0001\\u001f\u007f":"\\u0000é</>","e":[[],{},-7,true,null,""],"z":"🙂","é":[],"😀":2,"\ue000":1}',
      expect.stringMatching(/^[0-9a-f]{64}$/u),
    ]);
  });
});

describe("the commands that are printed", () => {
  it("pass no key, password or operator's token as an argument", async ({ expect }) => {
    const docs = join(ROOT, "src", "docs");
    const pages = (await readdir(docs)).filter((name) => name.endsWith(".md")).map((name) => join(docs, name));
    const others = [
      "src/docs/examples/sign.sh",
      "src/pages/pos/curl.ts",
      "src/tools/development/instructions.ts",
      "README.md",
    ];
    for (const path of [...pages, ...others.map((name) => join(ROOT, name))]) {
      const text = await readFile(path, "utf8");
      expect(text, path).not.toMatch(/-(?:hmac|macopt) |-H "[^"]*\$OPERATOR_TOKEN|-d '[^']*'"\$PASSWORD/u);
    }
  });
});

describe("the page about signatures", () => {
  it("computes its example as the vectors do", async ({ expect }) => {
    const markdown = await readFile(join(ROOT, "src", "docs", "signatures.md"), "utf8");
    const [{ key, canonical, signature } = expect.fail("there are no vectors")] = vectors;
    for (const part of [canonical, signature, key]) expect(textOf(markdown)).toContain(part);
  });
});
