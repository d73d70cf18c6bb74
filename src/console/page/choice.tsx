import { useId } from "preact/hooks";

export interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; label: string }[];
  onChoose: (value: Value) => void;
}

/** A choice of one of a few options, all visible at once. */
export function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="choice-option">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
