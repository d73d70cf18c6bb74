// The search: a field in the head of the page, which looks in /docs/search.json. Without script there is none.

import { finder } from "./find.ts";

const BEFORE = 30;
const AFTER = 90;

const search = document.createElement("search");
const field = document.createElement("input");
field.type = "search";
field.placeholder = "Search";
field.setAttribute("aria-label", "Search the documentation");
field.autocomplete = "off";
const list = document.createElement("ul");
list.className = "found";
list.hidden = true;
const count = document.createElement("p");
count.className = "visually-hidden";
count.setAttribute("role", "status");
search.append(field, list, count);
document.querySelector(".contracts")?.before(search);

let finding = null;

function load() {
  finding ??= fetch("/docs/search.json")
    .then((response) => response.json())
    .then(finder);
  return finding;
}

/** The words around the first one that was found. */
function snippet({ text, terms }) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE);
  return places.length === 0
    ? text.slice(0, AFTER)
    : `${from > 0 ? "…" : ""}${text.slice(from, from + BEFORE + AFTER)}…`;
}

function item(found) {
  const { href, page, section } = found;
  const link = document.createElement("a");
  link.href = href;
  const title = document.createElement("strong");
  title.textContent = section === "" ? page : section;
  const place = document.createElement("span");
  place.textContent = section === "" ? "" : page;
  const around = document.createElement("span");
  around.className = "snippet";
  around.textContent = snippet(found);
  link.append(title, " ", place, around);
  const line = document.createElement("li");
  line.append(link);
  return line;
}

async function show() {
  const query = field.value.trim();
  const find = await load();
  // Answers to what has been typed since come with its own call.
  if (query !== field.value.trim()) return;
  const found = find(query);
  const nothing = document.createElement("li");
  nothing.textContent = "Nothing found.";
  list.replaceChildren(...(found.length === 0 ? [nothing] : found.map(item)));
  list.hidden = query === "";
  count.textContent = query === "" ? "" : `${found.length === 0 ? "Nothing" : found.length} found`;
}

function close() {
  list.hidden = true;
}

field.addEventListener("focus", () => void load());
field.addEventListener("input", () => void show());
search.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const place = links.indexOf(document.activeElement);
  if (event.key === "Escape") {
    close();
    field.focus();
  } else if (event.key === "ArrowDown") {
    links[place + 1]?.focus();
    event.preventDefault();
  } else if (event.key === "ArrowUp") {
    (place <= 0 ? field : links[place - 1])?.focus();
    event.preventDefault();
  } else if (event.key === "Enter" && document.activeElement === field) {
    links[0]?.click();
  }
});
search.addEventListener("focusout", (event) => {
  if (!search.contains(event.relatedTarget)) close();
});
list.addEventListener("click", close);

// The usual key, where it is not typed into something.
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  field.focus();
});
