import { useState } from "hono/jsx/dom";
import { Button } from "../../page/button.tsx";
import { TextField } from "../../page/field.tsx";

/**
 * Searches a list by the beginning of an id or a name.
 *
 * @param text what the list shows now
 * @param onSearch gets the text without surrounding spaces
 */
export function SearchForm({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [wanted, setWanted] = useState(text);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSearch(wanted.trim());
  };
  return (
    <form class="search" role="search" onSubmit={submit} noValidate>
      <TextField label="Id or name" value={wanted} hint="The beginning is enough." onInput={setWanted} />
      <Button>Search</Button>
    </form>
  );
}
