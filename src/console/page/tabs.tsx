import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface Tab {
  name: string;
  label: string;
  aside?: string | undefined;
}

interface TabsProps {
  label: string;
  tabs: Tab[];
  open: string;
  onOpen: (name: string) => void;
  children: ComponentChildren;
}

/** Arrow keys move between the tabs, as in the ARIA authoring practices. */
export function Tabs({ label, tabs, open, onOpen, children }: TabsProps) {
  const id = useId();
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === open);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onOpen(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="stack tabs">
      <div role="tablist" aria-label={label} class="tablist" onKeyDown={move}>
        {tabs.map(({ name, label: words, aside }) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            id={`${id}-${name}`}
            aria-selected={name === open}
            aria-controls={`${id}-panel`}
            tabindex={name === open ? 0 : -1}
            onClick={() => onOpen(name)}
          >
            {words}
            {aside !== undefined && " "}
            {aside !== undefined && <span class="tab-aside">{aside}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} class="tabpanel" aria-labelledby={`${id}-${open}`}>
        {children}
      </div>
    </div>
  );
}
