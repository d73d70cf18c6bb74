/** A language that is chosen once is chosen on every page. Without storage, only until the next page. */
export function keepLanguage(): void {
  const chosen = stored();
  for (const label of document.querySelectorAll<HTMLLabelElement>(".vp-code-group .tabs label")) {
    if (label.dataset["title"] === chosen) label.click();
  }
}

/** One listener for all pages: the tabs are made anew with each. */
if (!import.meta.env.SSR) {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches(".vp-code-group .tabs input")) return;
    const title = document.querySelector<HTMLLabelElement>(`label[for="${target.id}"]`)?.dataset["title"];
    try {
      if (title !== undefined) localStorage.setItem("language", title);
    } catch {}
  });
}

function stored(): string | null {
  try {
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}
