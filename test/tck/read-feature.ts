/** One runnable scenario of a TCK feature file, with the rows of its outline filled in. */
export interface Scenario {
  /** `Match3 [4] Get two related nodes`, with the number of the example row. */
  name: string;
  setup: string[];
  /** Steps that this reader knows but the runner does not load: named graphs, procedures. */
  unusual: string[];
  parameters: [string, string][];
  query: string;
  expected:
    | { kind: 'rows'; ordered: boolean; anyListOrder: boolean; columns: string[]; rows: string[][] }
    | { kind: 'error'; type: string; detail: string };
}

type Step = { text: string; block: string; table: string[][] };

/** Reads the Gherkin of the openCypher TCK: scenarios, outlines, doc strings and tables. */
export function readFeature(text: string): Scenario[] {
  const feature = /^Feature: (\S+)/m.exec(text)?.[1] ?? '?';
  return text
    .split(/^ {2}(?=(?:@\S+\s+)*Scenario(?: Outline)?: )/m)
    .slice(1)
    .flatMap(chunk => readScenario(feature, chunk));
}

function readScenario(feature: string, chunk: string): Scenario[] {
  const lines = chunk.split('\n').filter(line => !/^\s*(#|@)/.test(line));
  const title = (lines[0] ?? '').replace(/^\s*Scenario(?: Outline)?: /, '').trim();
  const steps: Step[] = [];
  const examples: string[][] = [];
  let inExamples = false;
  for (let i = 1; i < lines.length; i += 1) {
    const line = (lines[i] ?? '').trim();
    if (/^Examples:/.test(line)) inExamples = true;
    else if (line === '"""') {
      const end = lines.findIndex((other, j) => j > i && other.trim() === '"""');
      const block = lines
        .slice(i + 1, end)
        .map(other => other.replace(/^ {6}/, ''))
        .join('\n');
      const step = steps.at(-1);
      if (step) step.block = block;
      i = end;
    } else if (line.startsWith('|')) (inExamples ? examples : (steps.at(-1)?.table ?? [])).push(cellsOf(line));
    else if (/^(Given|And|When|Then|But) /.test(line)) steps.push({ text: line.replace(/^\S+ /, ''), block: '', table: [] });
  }
  if (examples.length === 0) return toScenario(`${feature} ${title}`, steps);
  const [names = [], ...rows] = examples;
  return rows.flatMap((row, i) => {
    const fill = (value: string) => names.reduce((filled, name, j) => filled.replaceAll(`<${name}>`, row[j] ?? ''), value);
    const filled = steps.map(step => ({ text: fill(step.text), block: fill(step.block), table: step.table.map(cells => cells.map(fill)) }));
    return toScenario(`${feature} ${title} #${i + 1}`, filled);
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replace(/\\([\\|n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)));
}

function toScenario(name: string, steps: Step[]): Scenario[] {
  const scenario: Scenario = {
    name,
    setup: [],
    unusual: [],
    parameters: [],
    query: '',
    expected: { kind: 'error', type: '?', detail: '?' },
  };
  for (const step of steps) {
    if (step.text.startsWith('having executed')) scenario.setup.push(step.block);
    else if (step.text.startsWith('parameters are'))
      scenario.parameters.push(...step.table.map(([key = '', value = '']): [string, string] => [key, value]));
    else if (step.text.startsWith('executing query')) scenario.query = step.block;
    else if (/^the .* graph$|^there exists|^executing control query/.test(step.text)) scenario.unusual.push(step.text);
    else if (step.text.startsWith('the result should be')) scenario.expected = toRows(step);
    else if (/should be raised/.test(step.text)) {
      const [, type = '?', detail = '?'] = /^an? (\w+) should be raised at [\w ]+: (.*)$/.exec(step.text) ?? [];
      scenario.expected = { kind: 'error', type, detail };
    }
  }
  return scenario.query === '' ? [] : [scenario];
}

function toRows(step: Step): Scenario['expected'] {
  const [columns = [], ...rows] = step.table;
  return {
    kind: 'rows',
    ordered: step.text.includes('in order'),
    anyListOrder: step.text.includes('ignoring element order'),
    columns,
    rows,
  };
}
