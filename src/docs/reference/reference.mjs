// The HTTP reference: Scalar shows the contract of the gateway that serves this page, and sends calls to it. Everything
// of Scalar's that would ask another host is off: fonts, telemetry, the proxy, the agent.
import { createApiReference } from "./scalar/standalone.esm.js";

createApiReference("#reference", {
  url: "/openapi.json",
  servers: [{ url: "/", description: "The gateway that serves this page." }],
  authentication: { preferredSecurityScheme: "accessToken" },
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
