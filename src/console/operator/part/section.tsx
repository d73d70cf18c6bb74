import type { Child, PropsWithChildren } from "hono/jsx/dom";

/** A panel with a heading; `aside` appears beside the heading. */
export function Panel({ title, id, aside, children }: PropsWithChildren<{ title: string; id: string; aside?: Child }>) {
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="row spread">
        <h2 id={id} tabindex={-1}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
