import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** A button that copies a text and confirms it for a moment. `label` is its text before: "Copy as curl". */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  };
  return (
    <span class="copy">
      <Button look="plain" onClick={copy}>
        {label}
      </Button>
      <span class="copy-said small soft" role="status">
        {state === "copied" ? "Copied" : state === "failed" ? "The browser did not allow it" : ""}
      </span>
    </span>
  );
}
