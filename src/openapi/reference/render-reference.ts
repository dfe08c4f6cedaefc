import { type Bilingual } from '../../text/bilingual.js';

/** A page that describes one of the languages in which users write. */
export interface ReferencePage {
  /** The page's path, without the base path. */
  path: string;
  title: Bilingual;
  intro: Bilingual[];
  sections: ReferenceSection[];
}

export interface ReferenceSection {
  anchor: string;
  title: Bilingual;
  intro?: Bilingual[];
  entries: ReferenceEntry[];
}

export interface ReferenceEntry {
  anchor: string;
  /** The word or sign that the entry describes, as it is written in the language. */
  name: string;
  /** Short facts, such as the type, other spellings or that it is not supported. */
  facts: Bilingual[];
  meaning: Bilingual;
  /** An example; absent if the name itself shows the use. */
  example?: string;
  /** The whole text that the example is part of, if the example cannot stand alone. */
  whole?: string;
}

const style = `
  body { max-width: 60rem; margin: 0 auto; padding: 0 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
  h2 { margin-top: 3rem; border-bottom: 1px solid #ccc }
  h3 { margin: 2rem 0 0 } h3 a { color: inherit; text-decoration: none }
  p { margin: .25rem 0 } .facts { color: #555 }
  pre { overflow-x: auto; padding: .5rem; background: #f4f4f4; overflow-wrap: normal }
`;

/** Writes the page as HTML. It has no script. Every section and entry has an anchor. */
export function renderReference({ title, intro, sections }: ReferencePage, basePath: string): string {
  const contents = sections.map(
    section => `<li><a href="#${section.anchor}">${escaped(`${section.title.zh} / ${section.title.en}`)}</a></li>`,
  );
  return `<!doctype html>
<html lang="zh">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${title.zh} / ${title.en}`)}</title>
<style>${style}</style>
<p><a href="${escaped(basePath)}/">Graph service</a></p>
<h1>${escaped(`${title.zh} / ${title.en}`)}</h1>
${intro.map(inBoth).join('\n')}
<ul>
${contents.join('\n')}
</ul>
${sections.map(sectionHtml).join('\n')}
</html>
`;
}

function sectionHtml({ anchor, title, intro = [], entries }: ReferenceSection): string {
  return `<h2 id="${anchor}">${escaped(`${title.zh} / ${title.en}`)}</h2>
${[...intro.map(inBoth), ...entries.map(entryHtml)].join('\n')}`;
}

function entryHtml({ anchor, name, facts, meaning, example, whole }: ReferenceEntry): string {
  const parts = [`<h3 id="${escaped(anchor)}"><a href="#${escaped(anchor)}"><code>${escaped(name)}</code></a></h3>`];
  if (facts.length > 0)
    parts.push(`<p class="facts">${facts.map(({ zh, en }) => escaped(zh === en ? zh : `${zh} / ${en}`)).join(' · ')}</p>`);
  parts.push(inBoth(meaning));
  if (example !== undefined) parts.push(`<pre><code>${escaped(example)}</code></pre>`);
  if (whole !== undefined)
    parts.push(`<details><summary>完整示例 / the whole example</summary><pre><code>${escaped(whole)}</code></pre></details>`);
  return parts.join('\n');
}

function inBoth({ zh, en }: Bilingual): string {
  return `<p>${escaped(zh)}</p>\n<p lang="en">${escaped(en)}</p>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
