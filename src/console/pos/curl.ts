/** Calls of a till as lines for a shell. Tokens, passwords and keys are named as variables, never written out. */

export interface CurlCall {
  baseUrl: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: string;
  prefer?: string | null;
}

/** A line for bash that makes the call, with the access token in `TOKEN`. */
export function curlOf({ baseUrl, method, path, body, prefer = null }: CurlCall): string {
  const plain = method === (body === undefined ? "GET" : "POST");
  return [
    `curl -s ${plain ? "" : `-X ${method} `}${quoted(baseUrl + path)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(prefer === null ? [] : [`-H ${quoted(`Prefer: ${prefer}`)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** Lines that log in with the password in `PASSWORD`, and leave the access token in `TOKEN`. */
export function loginCurl(baseUrl: string, posId: string): string {
  const before = quoted(`{"posId":${JSON.stringify(posId)},"password":"`);
  return [
    `TOKEN=$(curl -s ${quoted(`${baseUrl}/auth/login`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${before}"$PASSWORD"'"}' | sed 's/.*"access":{"token":"\\([^"]*\\)".*/\\1/')`,
  ].join(" \\\n  ");
}

/** Lines that log in signed with the key in `SIGNING_KEY`, and leave the access token in `TOKEN`. */
export function signedLoginCurl(baseUrl: string, posId: string): string {
  // In the order of the canonical form, so that it is signed as it is sent.
  const form = `'{"datetime":"'$(date -u +%Y%m%dT%H%M%S)'","nonce":"'$(openssl rand -hex 16)'","posId":"${posId}"}'`;
  return [
    `LOGIN=${form}`,
    `SIGNATURE=$(printf %s "$LOGIN" | openssl dgst -sha256 -hmac "$SIGNING_KEY" | sed 's/.* //')`,
    [
      `TOKEN=$(curl -s ${quoted(`${baseUrl}/auth/login`)}`,
      "-H 'Content-Type: application/json'",
      `-d "\${LOGIN%?},\\"signature\\":\\"$SIGNATURE\\"}" | sed 's/.*"access":{"token":"\\([^"]*\\)".*/\\1/')`,
    ].join(" \\\n  "),
  ].join("\n");
}

/** A line that prints the signature of a text, with the signing key in `SIGNING_KEY`: to hold one's own against. */
export function signatureLine(signedText: string): string {
  return `printf %s ${quoted(signedText)} | openssl dgst -sha256 -hmac "$SIGNING_KEY" | sed 's/.* //'`;
}

function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
