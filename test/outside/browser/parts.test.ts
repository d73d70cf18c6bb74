/** What keeps a part of a page, and what ends with it, in a real browser. */
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, it } from "vitest";
import { connect } from "../../support/chromium.ts";

/** A page that shows a part or something else. Tests change both through `window`, and read what the part's effect did. */
const PAGE = `
import { render } from "hono/jsx/dom";
import { useEffect } from "./use-effect.ts";
import { useState } from "./use-state.ts";

const done = [];

function Part({ input }) {
  const [text, change] = useState("part");
  useEffect(() => {
    done.push("begins " + input);
    return () => void done.push("ends " + input);
  }, [input]);
  Object.assign(window, { change });
  return <p>{text}</p>;
}

function Whole() {
  const [input, show] = useState("a");
  Object.assign(window, { show });
  return <main>{input === null ? <p>something else</p> : <Part input={input} />}</main>;
}

Object.assign(window, {
  done,
  open: () => render(<Whole />, document.body),
  // Changes are drawn after the current microtask.
  drawn: () => Promise.resolve().then(() => undefined),
  frame: () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
});
`;

let browser: Browser;
let script: string;
let page: Page;

beforeAll(async () => {
  const bundle = await build({
    stdin: { contents: PAGE, loader: "tsx", resolveDir: join(import.meta.dirname, "../../../src/console/page") },
    bundle: true,
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "hono/jsx/dom",
    write: false,
  });
  script = bundle.outputFiles[0]?.text ?? "";
  browser = await connect();
});

afterAll(() => browser.close());

beforeEach(async ({ onTestFinished }) => {
  page = await browser.newPage();
  onTestFinished(() => page.context().close());
  await page.evaluate(script);
});

/** Runs steps in the page, in one task unless they wait for a frame. Resolves to what is shown, and what the effect did. */
function after(steps: string): Promise<[text: string, done: string[]]> {
  return page.evaluate(`(async () => { open(); ${steps}; return [document.body.innerText, done]; })()`);
}

describe("a part of a page", () => {
  it("is drawn again when its value changes", async ({ expect }) => {
    expect(await after(`change("changed"); await drawn()`)).toEqual(["changed", []]);
  });

  it("is never drawn after it was removed, however often its value changes", async ({ expect }) => {
    const [text] = await after(`
      await frame(); show(null); await drawn();
      for (const next of ["1", "2", "3"]) { change(next); await drawn(); }
      await frame()`);
    expect(text).toBe("something else");
  });

  it.for([
    ["before", `change("1"); show(null)`],
    ["after", `show(null); change("1")`],
  ] as const)("is not drawn if its value changes just %s it is removed", async ([, steps], { expect }) => {
    const [text] = await after(`await frame(); ${steps}; await drawn(); change("2"); await drawn(); await frame()`);
    expect(text).toBe("something else");
  });
});

describe("an effect of a part", () => {
  it("runs in the first frame, and ends when its part is removed", async ({ expect }) => {
    const [, done] = await after(`
      done.push("drawn"); await frame();
      done.push("removed"); show(null); await drawn()`);
    expect(done).toEqual(["drawn", "begins a", "removed", "ends a"]);
  });

  it("runs once if its part is drawn several times before the first frame", async ({ expect }) => {
    const [, done] = await after(`
      for (const next of ["1", "2", "3"]) { change(next); await drawn(); }
      await frame(); await frame(); show(null); await drawn()`);
    expect(done).toEqual(["begins a", "ends a"]);
  });

  it("does not run if its part is removed before the first frame", async ({ expect }) => {
    const [text, done] = await after(`change("1"); await drawn(); show(null); await drawn(); await frame()`);
    expect([text, done]).toEqual(["something else", []]);
  });

  it("runs for the newest inputs alone, and ends before the next ones", async ({ expect }) => {
    const [, done] = await after(`
      show("b"); await drawn(); show("c"); await drawn(); await frame();
      show("d"); await drawn(); await frame()`);
    expect(done).toEqual(["begins c", "ends c", "begins d"]);
  });
});
