import { showThisGateway } from "./this-gateway.mjs";

// The pages need no script. This one adds a button to each block of code that copies it, marks the section that is
// being read in the lists of sections, and puts this gateway's address into the commands.

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const say = (word) => {
    button.textContent = word;
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  };
  button.addEventListener("click", () => {
    const code = block.querySelector("code")?.textContent ?? "";
    // Without HTTPS, and off the own machine, a browser has no clipboard.
    const copied = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error("no clipboard"));
    void copied.then(
      () => say("Copied"),
      () => say("Not copied"),
    );
  });
  block.prepend(button);
}

// A language that is chosen once is chosen on every page. Without storage, only on this one.
function choose(language) {
  for (const input of document.querySelectorAll(".tabs > input")) input.checked ||= input.value === language;
}
for (const input of document.querySelectorAll(".tabs > input")) {
  input.addEventListener("change", () => {
    const from = input.getBoundingClientRect().top;
    choose(input.value);
    scrollBy(0, input.getBoundingClientRect().top - from);
    try {
      localStorage.setItem("language", input.value);
    } catch {}
  });
}
try {
  choose(localStorage.getItem("language"));
} catch {}

// The sections are listed in a column of their own, or below their page, as there is room.
const links = Map.groupBy(document.querySelectorAll(".sections a, .pages ul ul a"), (link) =>
  decodeURIComponent(link.hash.slice(1)),
);
const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((heading) => heading !== null);

function markSection() {
  // The last heading that has passed the upper edge; at the very end of the page, the last one that can be seen.
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const edge = atEnd ? innerHeight : 120;
  const current = headings.findLast((heading) => heading.getBoundingClientRect().top < edge);
  for (const [id, both] of links) {
    for (const link of both) {
      if (id === current?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}

let asked = false;
addEventListener("scroll", () => {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    markSection();
  });
});
markSection();
void showThisGateway();
