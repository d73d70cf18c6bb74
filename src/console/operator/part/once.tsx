import { Code } from "../../page/code.tsx";
import { CopyButton } from "../../page/copy.tsx";
import { Qr } from "../../page/qr.tsx";
import { Notice } from "../../page/status.tsx";
import { enrolmentText } from "../../../protocol/enrolment.ts";

/** A key or secret that the gateway shows once. */
export function ShownOnce({ name, text }: { name: string; text: string }) {
  return (
    <div class="stack">
      <Notice tone="pending">{name}: shown once. Copy it now.</Notice>
      <Code text={text} label={name} wrap />
      <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} />
    </div>
  );
}

/** A terminal's secret, with a code that a device can scan. */
export function TerminalSecretView({ terminalId, secret }: { terminalId: string; secret: string }) {
  const text = enrolmentText({ gateway: location.origin, terminalId, secret });
  return (
    <div class="stack">
      <ShownOnce name="Secret" text={secret} />
      <Qr text={text} label={`QR code with the address of the gateway, the id ${terminalId} and the secret`} />
    </div>
  );
}
