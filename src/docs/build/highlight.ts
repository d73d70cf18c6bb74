import bash from "shiki/langs/bash.mjs";
import csharp from "shiki/langs/csharp.mjs";
import java from "shiki/langs/java.mjs";
import javascript from "shiki/langs/javascript.mjs";
import json from "shiki/langs/json.mjs";
import php from "shiki/langs/php.mjs";
import python from "shiki/langs/python.mjs";
import { createCssVariablesTheme, createHighlighterCoreSync } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { escapeHtml } from "./html.ts";

const highlighter = createHighlighterCoreSync({
  themes: [createCssVariablesTheme({ name: "classes" })],
  langs: [bash, csharp, java, javascript, json, php, python],
  engine: createJavaScriptRegexEngine(),
});

/**
 * A block of code; a script adds the button that copies it.
 *
 * @param label for a screen reader
 */
export function codeHtml(code: string, language: string, label = "Code"): string {
  return (
    `<div class="code" data-language="${escapeHtml(language === "" ? "Text" : language)}">` +
    `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlight(code, language)}</code></pre></div>`
  );
}

/**
 * Text in no language, or in one that is not loaded, has no colours.
 *
 * shiki's own HTML has inline styles, which the pages' Content-Security-Policy forbids. The theme's variables become
 * class names instead: docs.css gives them their colours, light and dark. There is no time limit: beyond shiki's own,
 * half a second a line, the rest of the code would have the wrong colours on a busy machine.
 */
function highlight(code: string, language: string): string {
  if (!highlighter.getLoadedLanguages().includes(language)) return escapeHtml(code);
  const lines = highlighter.codeToTokensBase(code, { lang: language, theme: "classes", tokenizeTimeLimit: 0 });
  return lines.map((tokens) => tokens.map(tokenHtml).join("")).join("\n");
}

function tokenHtml({ content, color = "" }: { content: string; color?: string }): string {
  const kind = /token-([a-z]+)/u.exec(color)?.[1];
  const isPlain = kind === undefined || kind === "punctuation" || kind === "parameter";
  return isPlain ? escapeHtml(content) : `<span class="code-${kind}">${escapeHtml(content)}</span>`;
}
