import type { ComponentChildren, RenderableProps } from "preact";

/** A panel with a heading; `aside` appears beside the heading. */
export function Panel({
  title,
  id,
  aside,
  children,
}: RenderableProps<{ title: string; id: string; aside?: ComponentChildren }>) {
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
