import { scalarFunctions as cypherFunctions } from '../../cypher/functions/scalar-functions.js';
import { prepareCypher } from '../../cypher/prepare-cypher.js';
import { temporalFunctions } from '../../cypher/values/temporal/temporal-functions.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { CypherNotSupportedError, CypherReadOnlyError } from '../../cypher/syntax/cypher.errors.js';
import { mappingGroups } from '../../ingestion/mapping/mapping-reference.js';
import { parseMapping } from '../../ingestion/mapping/parse-mapping.js';
import { typeText } from '../../ingestion/mapping/property-type.js';
import { exampleMapping } from '../../ingestion/mapping-example.js';
import { functionPatterns } from '../../metrics/formula/formula-keywords.js';
import { parseFormula } from '../../metrics/formula/parse-formula.js';
import { registry } from '../../metrics/patterns/registry.js';
import { atOnce } from '../../text/steps.js';
import { guardFormula } from '../../metrics/plan/guard-formula.js';
import { scalarFunctions } from '../../sql-guard/allow-lists.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { cypherDifferences } from './cypher-differences.js';
import { cypherPage, queryOf } from './cypher-page.js';
import { formulasPage } from './formulas-page.js';
import { mappingPage } from './mapping-page.js';
import { type ReferencePage, renderReference } from './render-reference.js';

beforeAll(() => loadSqlParser());

const pages = [mappingPage, formulasPage, cypherPage];
const entriesOf = ({ sections }: ReferencePage) =>
  sections.flatMap(({ anchor, entries }) => entries.map(entry => ({ section: anchor, ...entry })));
const anchors = (page: ReferencePage) => [...page.sections.map(({ anchor }) => anchor), ...entriesOf(page).map(({ anchor }) => anchor)];

describe.each(pages.map(page => [page.path, page] as const))('%s', (_path, page) => {
  const html = renderReference(page, '/graph');

  it('has each anchor once, and every link within the page leads to one', () => {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(anchors(page).length);
    expect(ids.filter(id => /\s/.test(id!) || id === '')).toEqual([]);
    for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
  });

  it('says everything in both languages, runs no script and goes home under the base path', () => {
    expect(html).not.toMatch(/<script|\son\w+=|javascript:/i);
    expect(html).toContain('href="/graph/"');
    for (const { meaning, anchor } of entriesOf(page))
      expect([anchor, /\p{Script=Han}/u.test(meaning.zh), /[A-Za-z]/.test(meaning.en)]).toEqual([anchor, true, true]);
  });

  it('keeps what is written in examples from becoming markup', () => {
    expect(html.match(/<(?!\/?(?:html|meta|title|style|p|a|h1|h2|h3|ul|li|code|pre|details|summary)\b|!doctype)/g)).toBeNull();
  });
});

describe('the page of mappings', () => {
  it('has every key and word of the tables, with a mapping that is valid', () => {
    for (const [group, { entries }] of Object.entries(mappingGroups)) {
      for (const key of Object.keys(entries)) expect(anchors(mappingPage)).toContain(`${group}-${key}`);
    }
    for (const { whole, example } of entriesOf(mappingPage)) expect(() => parseMapping(whole ?? example!)).not.toThrow();
  });
});

describe('the page of formulas', () => {
  it('has every pattern, every function and every function of SQL', () => {
    const text = renderReference(formulasPage, '');
    for (const pattern of Object.keys(registry)) expect(anchors(formulasPage)).toContain(`patterns-${pattern}`);
    for (const name of functionPatterns.keys()) expect(anchors(formulasPage)).toContain(`function-${name}`);
    for (const name of scalarFunctions.keys()) expect(text).toContain(name);
  });

  it.each(entriesOf(formulasPage))('$anchor has a formula that parses', ({ section, name, example }) => {
    const { pattern, root } = parseFormula(example!);
    atOnce(guardFormula(root, example!));
    if (section === 'patterns') expect(pattern).toBe(name);
    if (section in registry) expect([pattern, example]).toEqual([section, expect.stringContaining(name)]);
  });

  it.each(entriesOf(formulasPage).filter(({ section, facts }) => section in registry && facts.length > 1))(
    '$anchor has Chinese names that mean the same',
    ({ name, facts, example }) => {
      const withoutPlaces = (formula: string) =>
        JSON.stringify(parseFormula(formula), (key, value: unknown) => (key === 'position' ? 0 : value));
      const chinese = facts.map(({ zh }) => zh).filter(word => /^\p{Script=Han}+$/u.test(word));
      for (const word of chinese) expect(withoutPlaces(example!.replace(name, word))).toBe(withoutPlaces(example!));
    },
  );
});

/** The schema of the graph that the example mapping makes. */
const { nodes, edges } = parseMapping(exampleMapping).mapping;
const propertiesOf = (columns: (typeof nodes)[number]['columns']) =>
  columns.map(({ property, type }) => ({ name: property, type: typeText(type!) }));
const schema: GraphSchema = {
  labels: nodes.map(({ label, aliases, columns }) => ({
    name: label,
    aliases,
    keyProperties: [],
    displayProperty: null,
    properties: propertiesOf(columns),
    rowCount: 1,
  })),
  edges: edges.map(({ type, aliases, from, to, columns }) => ({
    type,
    aliases,
    sourceLabel: from.label,
    targetLabel: to.label,
    properties: propertiesOf(columns),
    rowCount: 1,
  })),
};
/** Compiles a query for the executor in memory, which finds all mistakes in it, and plans it for SQL. */
function plan(query: string): { warnings: unknown[] } {
  return prepareCypher(query, schema, query.includes('$country') ? '{"country": "法国"}' : '{}');
}

describe('the page of openCypher', () => {
  it('names only functions that exist', () => {
    const shown = entriesOf(cypherPage).flatMap(({ section, name }) => (section === 'functions' ? [name.toLowerCase()] : []));
    expect(shown.filter(name => !(name in cypherFunctions) && !(name in temporalFunctions))).toEqual([]);
    expect(shown.length).toBeGreaterThan(30);
  });

  it.each(
    entriesOf(cypherPage).filter(({ section }) =>
      ['clauses', 'expressions', 'operators', 'functions', 'further-functions', 'aggregates'].includes(section),
    ),
  )('$anchor has a query that compiles without a warning', ({ section, name, example, whole }) => {
    expect(plan(whole ?? example!).warnings).toEqual([]);
    if (['operators', 'functions', 'aggregates', 'clauses'].includes(section)) expect(example).toContain(name);
  });

  it.each(entriesOf(cypherPage).filter(({ section }) => section === 'unbuilt-old'))(
    '$name is refused with the form to write instead',
    ({ example, meaning }) => {
      expect(() => plan(example!)).toThrow(meaning.zh);
      expect(() => plan(example!)).toThrow(meaning.en);
    },
  );

  it.each(entriesOf(cypherPage).filter(({ section, example }) => /^(writes|unbuilt(?!-old))/.test(section) && example !== undefined))(
    '$anchor has a query that is refused as the page says',
    ({ section, name, example }) => {
      const error = section === 'writes' ? CypherReadOnlyError : CypherNotSupportedError;
      expect(() => plan(example!)).toThrow(error);
      expect(() => plan(example!)).toThrow(name);
    },
  );

  it.each(cypherDifferences)('the example of $name compiles or is refused as it says', ({ example, isRefused }) => {
    if (isRefused) expect(() => plan(example)).toThrow(/不支持/);
    else expect(() => plan(example)).not.toThrow();
  });

  it('puts an expression into a query that compiles', () => {
    expect(() => plan(queryOf('c'))).not.toThrow();
  });
});
