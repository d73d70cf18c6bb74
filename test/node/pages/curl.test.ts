import { describe, it } from "vitest";
import { SIGN_COMMAND } from "../../../src/protocol/signing/shell-command.ts";
import { formatCurl, loginCurl, signatureLine, signedLoginCurl } from "../../../src/pages/pos/curl.ts";

const baseUrl = "https://gateway.test";

describe("a call as a shell command", () => {
  it("names the token as a variable", ({ expect }) => {
    expect(formatCurl({ baseUrl, method: "GET", path: "/api/terminals" })).toBe(
      'curl -s https://gateway.test/api/terminals \\\n  -H "Authorization: Bearer $TOKEN"',
    );
  });

  it("quotes what a shell would read otherwise", ({ expect }) => {
    const body = `{"note":"it's $HOME \`x\`"}`;
    const line = formatCurl({ baseUrl, method: "POST", path: "/api/transfer", body, prefer: "wait=5" });
    expect(line).toContain(`-d '{"note":"it'\\''s $HOME \`x\`"}'`);
    expect(line).toContain("-H 'Prefer: wait=5'");
    expect(line).not.toContain("-X");
    expect(formatCurl({ baseUrl, method: "GET", path: "/api/ewallet-channels?currency=MYR" })).toContain(
      "'https://gateway.test/api/ewallet-channels?currency=MYR'",
    );
  });

  it("names the method if curl would choose another one", ({ expect }) => {
    expect(formatCurl({ baseUrl, method: "DELETE", path: "/api/terminals/T-1" })).toMatch(/^curl -s -X DELETE /u);
  });

  it("logs in with the password from a variable", ({ expect }) => {
    const lines = loginCurl(baseUrl, "POS-1");
    expect(lines).toMatch(/^TOKEN=\$\(curl -s https:\/\/gateway\.test\/auth\/login/u);
    expect(lines).toContain(`-d @- <<< '{"posId":"POS-1","password":"'"$PASSWORD"'"}'`);
  });

  it("logs in with the signing key's variable if there is no password", ({ expect }) => {
    const lines = signedLoginCurl(baseUrl, "POS-1").split("\n");
    expect(lines[0]).toMatch(/^LOGIN='\{"datetime":"'\$\(date .*\)'","nonce":"'\$\(.*\)'","posId":"POS-1"\}'$/u);
    expect(lines[1]).toContain('printf %s "$LOGIN" | SIGNING_KEY=$SIGNING_KEY perl ');
    expect(lines.slice(2).join(" ")).toContain(`-d "\${LOGIN%?},\\"signature\\":\\"$SIGNATURE\\"}"`);
  });

  it("signs with the key from a variable", ({ expect }) => {
    expect(signatureLine(`{"note":"it's"}`)).toBe(`printf %s '{"note":"it'\\''s"}' | ${SIGN_COMMAND}; echo`);
  });
});
