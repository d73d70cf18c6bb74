import { useState } from "preact/hooks";
import { Button } from "../page/button.tsx";
import { Form } from "../page/call-form.tsx";
import { TextField } from "../page/field.tsx";
import type { Access } from "./model.ts";
import type { Credentials, VirtualTerminalSession } from "./session.ts";

interface FormProps {
  session: VirtualTerminalSession;
  problem: string | null;
}

interface SignInFormProps extends FormProps {
  access: Access & { kind: "signed-out" | "signing-in" };
  demo: Credentials | null;
}

/** On the screen while nobody is signed in. The secret is stored only in this page's memory (I6). */
export function SignInForm({ session, access, problem, demo }: SignInFormProps) {
  const [terminalId, setTerminalId] = useState(demo?.terminalId ?? access.terminalId);
  const [secret, setSecret] = useState(demo?.secret ?? "");
  const isSigningIn = access.kind === "signing-in";
  const submit = (): Promise<void> => session.signIn({ terminalId: terminalId.trim(), secret: secret.trim() });
  return (
    <Form look="vt-form" label="Sign in as a terminal" onSubmit={submit}>
      <TextField label="Terminal id" mono value={terminalId} onInput={setTerminalId} />
      <TextField
        label="Secret"
        kind="password"
        value={secret}
        onInput={setSecret}
        problem={problem ?? undefined}
        hint="Kept only in this page’s memory."
      />
      <Button look="primary" disabled={isSigningIn || terminalId.trim() === "" || secret.trim() === ""}>
        {isSigningIn ? "Signing in…" : "Sign in"}
      </Button>
    </Form>
  );
}

/** Binds with a key that a till shows: typed here, or handed over by the other half of the page. */
export function BindForm({ session, problem, heading }: FormProps & { heading: string }) {
  const [key, setKey] = useState("");
  const submit = (): void => {
    void session.bind(key.trim());
    setKey("");
  };
  return (
    <Form look="vt-form" label="Bind the terminal" onSubmit={submit}>
      <h3>{heading}</h3>
      <TextField
        label="Bind key"
        mono
        value={key}
        onInput={setKey}
        problem={problem ?? undefined}
        hint="The till shows it as text and as a QR code. Type it, or scan it."
      />
      <Button look="primary" disabled={key.trim() === ""}>
        Bind
      </Button>
    </Form>
  );
}
