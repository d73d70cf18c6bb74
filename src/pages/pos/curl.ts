/** Shell commands with tokens, passwords and keys as variables, never written out (I6). */
import { SIGN_COMMAND } from "../../protocol/signing/shell-command.ts";

interface CurlCall {
  baseUrl: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: string;
  prefer?: string | null;
}

/** Expects the access token in `TOKEN`. */
export function formatCurl({ baseUrl, method, path, body, prefer = null }: CurlCall): string {
  const plain = method === (body === undefined ? "GET" : "POST");
  return [
    `curl -s ${plain ? "" : `-X ${method} `}${quoted(baseUrl + path)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(prefer === null ? [] : [`-H ${quoted(`Prefer: ${prefer}`)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** Logs in with the password in `PASSWORD` and stores the access token in `TOKEN`. */
export function loginCurl(baseUrl: string, posId: string): string {
  const before = quoted(`{"posId":${JSON.stringify(posId)},"password":"`);
  return [
    `TOKEN=$(curl -s ${quoted(`${baseUrl}/auth/login`)}`,
    "-H 'Content-Type: application/json'",
    `-d @- <<< ${before}"$PASSWORD"'"}' | sed 's/.*"access":{"token":"\\([^"]*\\)".*/\\1/')`,
  ].join(" \\\n  ");
}

/** Logs in with a signature by the key in `SIGNING_KEY` and stores the access token in `TOKEN`. */
export function signedLoginCurl(baseUrl: string, posId: string): string {
  // In the order of the canonical form, so the signed text is the sent text.
  const form = `'{"datetime":"'$(date -u +%Y%m%dT%H%M%S)'","nonce":"'$(openssl rand -hex 16)'","posId":"${posId}"}'`;
  return [
    `LOGIN=${form}`,
    `SIGNATURE=$(printf %s "$LOGIN" | ${SIGN_COMMAND})`,
    [
      `TOKEN=$(curl -s ${quoted(`${baseUrl}/auth/login`)}`,
      "-H 'Content-Type: application/json'",
      `-d "\${LOGIN%?},\\"signature\\":\\"$SIGNATURE\\"}" | sed 's/.*"access":{"token":"\\([^"]*\\)".*/\\1/')`,
    ].join(" \\\n  "),
  ].join("\n");
}

/** Prints the signature of a text with the key in `SIGNING_KEY`, to compare with your own. */
export function signatureLine(signedText: string): string {
  return `printf %s ${quoted(signedText)} | ${SIGN_COMMAND}; echo`;
}

function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
