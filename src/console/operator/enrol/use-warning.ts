import { useEffect } from "../../page/use-effect.ts";
import { useStore } from "../../page/use-store.ts";
import { pageEnrolment } from "./enrolment.ts";

/** Makes the browser ask before the user closes the page, in any section, while an enrolment runs or has unsaved secrets. */
export function useEnrolmentWarning(): void {
  const enrolment = pageEnrolment();
  const { run, unsaved } = useStore(enrolment.subscribe, enrolment.state);
  const isNeeded = unsaved > 0 || run?.state === "running";
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isNeeded]);
}
