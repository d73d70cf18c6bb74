import type { RenderableProps } from "preact";

export interface ButtonProps {
  look?: "primary" | "quiet" | "danger" | "plain";
  /** Without it the button submits its form. */
  onClick?: () => void;
  /**
   * Cannot be pressed now. The button keeps the focus and its place in the tab order, so that a keyboard user stays in
   * the form while something runs.
   */
  disabled?: boolean;
  /** The label for screen readers, if the words do not name what they apply to: "Unbind T-1001". */
  label?: string | undefined;
  expanded?: boolean;
}

export function Button({
  look = "quiet",
  onClick,
  disabled = false,
  label,
  expanded,
  children,
}: RenderableProps<ButtonProps>) {
  const press = (event: Event): void => {
    if (disabled) event.preventDefault();
    else onClick?.();
  };
  return (
    <button
      type={onClick === undefined ? "submit" : "button"}
      class="button"
      data-look={look}
      aria-disabled={disabled ? "true" : undefined}
      aria-label={label}
      aria-expanded={expanded}
      onClick={press}
    >
      {children}
    </button>
  );
}
