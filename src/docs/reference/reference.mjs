// A page of the HTTP reference: Scalar shows the part of the gateway's contract that has the page's tag, and sends calls to
// the gateway. Everything of Scalar's that would ask another host is off: fonts, telemetry, the proxy, the agent.

import { DEMO } from "../../console/shared/demo.ts";
import { signedRequest } from "./sign.ts";

// Scalar's copy of zod tries `Function("")` to see whether it may compile, which the pages' policy forbids and browsers report.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const reference = document.querySelector("#reference");
const { tag } = reference.dataset;
const key = document.querySelector("#signing-key");
const [text] = await Promise.all([contractText(), import("./scalar.js")]);
const contract = JSON.parse(text);

/**
 * Where the demo of `npm start` runs, the examples name its account and terminal, so that "Test Request" works as it is.
 * An operator's examples stay: they would change the demo.
 */
async function contractText() {
  const [published, demo] = await Promise.all(["/openapi.json", "/docs/demo.json"].map((path) => fetch(path)));
  const whole = await published.text();
  if (tag.startsWith("Operator") || !demo.ok || (await demo.json()).file === null) return whole;
  const { examples } = JSON.parse(whole).paths["/api/transfer"].post.requestBody.content["application/json"];
  const [{ value }] = Object.values(examples);
  return Object.entries(DEMO).reduce((changed, [name, id]) => changed.replaceAll(value[name], id), whole);
}

/** An optional parameter is sent only if the reader switches it on: `x-disabled` is Scalar's. */
function switchedOff({ parameters = [], ...operation }) {
  const names = Object.keys(operation.requestBody?.content["application/json"]?.examples ?? { default: null });
  const all = parameters.map(({ required, schema, ...one }) => {
    const off = { value: schema.examples?.[0] ?? schema.enum?.[0] ?? "", "x-disabled": true };
    const examples = required ? {} : { examples: Object.fromEntries(names.map((name) => [name, off])) };
    return { ...one, required, schema, ...examples };
  });
  return { ...operation, parameters: all };
}

/** The items that have calls with the page's tag, with only those calls. */
function ofPage(items) {
  const own = Object.entries(items).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item)
        .filter(([, { tags }]) => tags.includes(tag))
        .map(([method, operation]) => [method, switchedOff(operation)]),
    ),
  ]);
  return Object.fromEntries(own.filter(([, item]) => Object.keys(item).length > 0));
}

const paths = ofPage(contract.paths);
const schemes = Object.values(paths).flatMap((item) =>
  Object.values(item).flatMap(({ security = [] }) => security.flatMap((one) => Object.keys(one))),
);

// The calls for browsers without scripts; Scalar would take them for its own.
reference.replaceChildren();
window.Scalar.createApiReference(reference, {
  content: {
    ...contract,
    // Scalar shows the title above its fields for the server and the token. The rest is on the other pages.
    info: { title: "Server and token", version: contract.info.version },
    tags: contract.tags.filter(({ name }) => name === tag),
    paths,
    webhooks: ofPage(contract.webhooks),
  },
  servers: [{ url: "/", description: "The gateway that serves this page." }],
  customFetch: async (request) => fetch(await signedRequest(request, text, key?.value ?? "")),
  authentication: { preferredSecurityScheme: schemes[0] ?? "accessToken" },
  operationTitleSource: "path",
  theme: "none",
  // The page's own search finds the calls, too.
  hideSearch: true,
  hideModels: true,
  hideDarkModeToggle: true,
  documentDownloadType: "none",
  showDeveloperTools: "never",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
});
