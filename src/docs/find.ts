import MiniSearch from "minisearch";

/** A section of a page, as in /docs/search.json. */
export interface SearchEntry {
  href: string;
  /** The page's and the section's names; `section` is empty for the page itself. */
  page: string;
  section: string;
  text: string;
}

export interface Found extends SearchEntry {
  terms: string[];
}

const MOST = 12;
const GUIDE_BOOST = 1.5;
/** Shorter words have too many neighbours to forgive a typing error. */
const SHORTEST_FUZZY = 4;

/** Every word must match; the last letters may be missing, and long words may have a typing error. */
export function finder(entries: readonly SearchEntry[]): (query: string) => Found[] {
  const index = new MiniSearch<SearchEntry>({
    idField: "href",
    fields: ["section", "page", "text"],
    storeFields: ["href", "page", "section", "text"],
    tokenize: (text) => [...wordsOf(text).flatMap(partsOf), ...joined(text)],
    searchOptions: {
      tokenize: wordsOf,
      combineWith: "AND",
      boost: { section: 4, page: 2 },
      // Guides rank above the reference and the chaos page.
      boostDocument: (href: string) => (/^\/docs\/(?:reference|chaos)/u.test(href) ? 1 : GUIDE_BOOST),
      prefix: true,
      fuzzy: (term) => (term.length < SHORTEST_FUZZY ? false : 0.2),
    },
  });
  index.addAll(entries);
  // The assertion: each result has the stored fields in addition to its own.
  return (query) => index.search(query).slice(0, MOST) as unknown as Found[];
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "");
}

/** `TERMINAL_LOST` is one word; its parts are indexed too. */
function partsOf(word: string): string[] {
  return word.includes("_") ? [word, ...word.split("_")] : [word];
}

/** "time-out" is indexed as "timeout" too. */
function joined(text: string): string[] {
  return [...text.matchAll(/\p{L}+(?:-\p{L}+)+/gu)].map(([word]) => word.replaceAll("-", ""));
}
