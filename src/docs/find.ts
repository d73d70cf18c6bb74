/** The search's matching, by MiniSearch: in the browser, and in the tests. */
import MiniSearch from "minisearch";

/** A section of a page, as /docs/search.json has it. */
export interface SearchEntry {
  /** Where it is, with the section. */
  href: string;
  /** The page's name, and the section's; the page itself has none. */
  page: string;
  section: string;
  text: string;
}

export interface Found extends SearchEntry {
  /** The words of the entry that matched, as they are indexed. */
  terms: string[];
}

const MOST = 12;
const GUIDE_BOOST = 1.5;
/** Shorter words have too many neighbours for a typing error to be forgiven. */
const SHORTEST_FUZZY = 4;

/** Returns a search over `entries`: every word must be found, the last letters may be missing, long words may have a typing error. */
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
      // A guide explains before the reference lists and the chaos page reports.
      boostDocument: (href: string) => (/^\/docs\/(?:reference|chaos)/u.test(href) ? 1 : GUIDE_BOOST),
      prefix: true,
      fuzzy: (term) => (term.length < SHORTEST_FUZZY ? false : 0.2),
    },
  });
  index.addAll(entries);
  // The assertion: each result has the stored fields in addition to its own
  return (query) => index.search(query).slice(0, MOST) as unknown as Found[];
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "");
}

/** A code such as `TERMINAL_LOST` is one word; its parts are found, too. */
function partsOf(word: string): string[] {
  return word.includes("_") ? [word, ...word.split("_")] : [word];
}

/** A word with a hyphen, such as "time-out", is also found without: "timeout". */
function joined(text: string): string[] {
  return [...text.matchAll(/\p{L}+(?:-\p{L}+)+/gu)].map(([word]) => word.replaceAll("-", ""));
}
