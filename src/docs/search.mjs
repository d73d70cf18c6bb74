// The search: a field in the head of the page, which looks in /docs/search.json. Without script there is none.

const MOST = 12;
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

let index = null;

function load() {
  index ??= fetch("/docs/search.json").then((response) => response.json());
  return index;
}

/** What a word counts: most in the title of a page itself, least in the text. */
function weigh({ page, section }, word) {
  const inPage = page.toLowerCase().includes(word);
  if (section === "") return inPage ? 4 : 0;
  return (section.toLowerCase().includes(word) ? 3 : 0) + (inPage ? 1 : 0);
}

/** Sections with every word, those with it in their title first. */
function find(entries, words) {
  const found = [];
  for (const entry of entries) {
    const title = `${entry.page} ${entry.section}`.toLowerCase();
    const text = entry.text.toLowerCase();
    if (!words.every((word) => title.includes(word) || text.includes(word))) continue;
    found.push({ entry, weight: words.reduce((sum, word) => sum + weigh(entry, word), 0) });
  }
  return found.toSorted((one, other) => other.weight - one.weight).slice(0, MOST);
}

/** The words around the first one that was found. */
function snippet(text, words) {
  const at = words.map((word) => text.toLowerCase().indexOf(word)).find((place) => place >= 0) ?? 0;
  const from = Math.max(0, at - BEFORE);
  return `${from > 0 ? "…" : ""}${text.slice(from, at + AFTER)}…`;
}

function item({ href, page, section, text }, words) {
  const link = document.createElement("a");
  link.href = href;
  const title = document.createElement("strong");
  title.textContent = section === "" ? page : section;
  const place = document.createElement("span");
  place.textContent = section === "" ? "" : page;
  const around = document.createElement("span");
  around.className = "snippet";
  around.textContent = snippet(text, words);
  link.append(title, " ", place, around);
  const line = document.createElement("li");
  line.append(link);
  return line;
}

async function show() {
  const words = field.value
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const entries = words.length === 0 ? [] : await load();
  const found = words.length === 0 ? [] : find(entries, words);
  list.replaceChildren(...found.map(({ entry }) => item(entry, words)));
  list.hidden = found.length === 0;
  count.textContent = words.length === 0 ? "" : `${found.length === 0 ? "Nothing" : found.length} found`;
  if (words.length > 0 && found.length === 0) {
    const nothing = document.createElement("li");
    nothing.textContent = "Nothing found.";
    list.replaceChildren(nothing);
    list.hidden = false;
  }
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
