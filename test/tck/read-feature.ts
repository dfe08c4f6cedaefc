/** One scenario of a TCK feature file. Scenario outlines are filled in with their example rows. */
export interface Scenario {
  /** The name, such as `Match3 [4] Get two related nodes`, followed by the number of the example row. */
  name: string;
  /** The name of a graph of the TCK, such as `binary-tree-1`. Null for an empty graph or any graph. */
  namedGraph: string | null;
  setup: string[];
  procedures: string[];
  parameters: [string, string][];
  query: string;
  expected: Expected;
  /** Queries that check the graph after the main query. */
  controls: { query: string; expected: Expected }[];
  /** The number of each side effect, such as `+nodes`. Null if the scenario does not state them. */
  sideEffects: Record<string, number> | null;
}

export type Expected =
  | { kind: 'rows'; ordered: boolean; anyListOrder: boolean; columns: string[]; rows: string[][] }
  /** `detail` may be `*` for any detail. `phase` is `compile time`, `runtime` or `any time`. */
  | { kind: 'error'; type: string; phase: string; detail: string };

interface Step {
  text: string;
  block: string;
  table: string[][];
}

interface Section {
  title: string;
  steps: Step[];
  examples: string[][];
}

/** Reads the Gherkin of the openCypher TCK: backgrounds, scenarios, outlines, doc strings and tables. */
export function readFeature(text: string): Scenario[] {
  const lines = text.split(/\r?\n/);
  const background: Section = { title: '', steps: [], examples: [] };
  const sections: Section[] = [];
  let feature = '?';
  let section = background;
  let table: string[][] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const line = (lines[i] ?? '').trim();
    const heading = /^(Feature|Scenario|Scenario Outline): (\S+)(.*)$/.exec(line);
    const step = /^(?:Given|When|Then|And|But) (.*)$/.exec(line);
    if (heading?.[1] === 'Feature') feature = heading[2] ?? '?';
    else if (heading) {
      section = { title: `${heading[2]}${heading[3]}`, steps: [], examples: [] };
      sections.push(section);
    } else if (/^Examples:/.test(line)) table = section.examples;
    else if (step) {
      section.steps.push({ text: step[1] ?? '', block: '', table: [] });
      table = section.steps.at(-1)?.table ?? [];
    } else if (line.startsWith('|')) table.push(cellsOf(line));
    else if (line === '"""') {
      const end = lines.findIndex((other, j) => j > i && other.trim() === '"""');
      const indent = (lines[i] ?? '').indexOf('"""');
      const last = section.steps.at(-1);
      const block = lines.slice(i + 1, end).map(other => withoutIndent(other, indent));
      if (last) last.block = block.join('\n');
      i = end;
    } else if (line !== '' && !/^[#@]|^Background:$/.test(line)) throw new Error(`not a line of a feature: ${line}`);
  }
  return sections.flatMap(({ title, steps, examples }) => {
    const name = `${feature} ${title}`;
    const all = [...background.steps, ...steps];
    return examples.length === 0 ? [toScenario(name, all)] : fillOutline(name, all, examples);
  });
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, line.length - line.trimStart().length));
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replace(/\\([\\|n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)));
}

function fillOutline(name: string, steps: Step[], [names = [], ...rows]: string[][]): Scenario[] {
  return rows.map((row, i) => {
    const fill = (text: string) => text.replace(/<([^<>\n]+)>/g, (all, key: string) => row[names.indexOf(key)] ?? all);
    const filled = steps.map(step => ({ text: fill(step.text), block: fill(step.block), table: step.table.map(cells => cells.map(fill)) }));
    return toScenario(`${fill(name)} #${i + 1}`, filled);
  });
}

function toScenario(name: string, steps: Step[]): Scenario {
  const scenario: Scenario = {
    name,
    namedGraph: null,
    setup: [],
    procedures: [],
    parameters: [],
    query: '',
    expected: { kind: 'error', type: '?', phase: '?', detail: '?' },
    controls: [],
    sideEffects: null,
  };
  for (const step of steps) {
    const { text, block, table } = step;
    const expected = expectedOf(step);
    const control = scenario.controls.at(-1);
    if (expected && control) control.expected = expected;
    else if (expected) scenario.expected = expected;
    else if (text.startsWith('executing query')) scenario.query = block;
    else if (text.startsWith('executing control query')) scenario.controls.push({ query: block, expected: scenario.expected });
    else if (text.startsWith('having executed')) scenario.setup.push(block);
    else if (text.startsWith('parameters are'))
      scenario.parameters.push(...table.map(([key = '', value = '']) => [key, value] as [string, string]));
    else if (text.startsWith('there exists a procedure')) scenario.procedures.push(text);
    else if (text === 'no side effects') scenario.sideEffects = {};
    else if (text.startsWith('the side effects should be'))
      scenario.sideEffects = Object.fromEntries(table.map(([effect = '', count]) => [effect, Number(count)]));
    else if (/^the \S+ graph$/.test(text)) scenario.namedGraph = text.split(' ')[1] ?? null;
    else if (text !== 'any graph' && text !== 'an empty graph') throw new Error(`not a step of the TCK: ${text}`);
  }
  return scenario;
}

function expectedOf({ text, table }: Step): Expected | null {
  const [, type, phase, detail] = /^an? (\w+) should be raised at ([\w ]+): (.*)$/.exec(text) ?? [];
  if (type !== undefined && phase !== undefined && detail !== undefined) return { kind: 'error', type, phase, detail };
  if (!text.startsWith('the result should be')) return null;
  const [columns = [], ...rows] = table;
  return { kind: 'rows', ordered: text.includes('in order'), anyListOrder: text.includes('ignoring element order'), columns, rows };
}
