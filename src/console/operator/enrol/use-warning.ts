import { useSignalEffect } from "@preact/signals";
import { pageEnrolment } from "./enrolment.ts";

/** Makes the browser ask before the user closes the page, in any section, while an enrolment runs or has unsaved secrets. */
export function useEnrolmentWarning(): void {
  useSignalEffect(() => {
    const { run, unsaved } = pageEnrolment().state.value;
    if (unsaved === 0 && run?.state !== "running") return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  });
}
