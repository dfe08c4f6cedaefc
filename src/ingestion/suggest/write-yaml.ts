import { type Steps } from '../../text/steps.js';
import { type MappingPath } from '../mapping/mapping.js';
import { type Draft, type DraftColumn, type DraftEnd, type Guess } from './draft.js';

/** Words that YAML 1.1 or 1.2 does not read as text. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
/** Text that needs no quotes. It begins with a letter, so YAML cannot read it as a number, a date or a sign of its syntax. */
const plain = /^[A-Za-z\p{Script=Han}][A-Za-z0-9_\p{Script=Han}]*$/u;
/** Characters that a single-quoted text on one line cannot hold, or that YAML allows only in escaped form. */
const unprintable = /[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10fffd}]|[\u2028\u2029]|\p{Cs}/u;

export interface PlacedGuess extends Guess {
  path: MappingPath;
}

export interface WrittenDraft {
  text: string;
  guesses: PlacedGuess[];
}

/** Writes a draft as YAML, in the order of the examples in the documentation. Two lines of comment stand before each guess. */
export function* writeYaml(draft: Draft): Steps<WrittenDraft> {
  const writer = new Writer();
  writer.line(0, `# 由连接 ${oneLine(draft.connection)} 的表起草；请核对标有「推测」的行`);
  writer.line(0, `# drafted from the tables of the connection ${oneLine(draft.connection)}; check the lines marked with guess`);
  writer.line(0, 'version: 1');
  writer.line(0, 'source:');
  writer.line(1, `connection: ${scalar(draft.connection)}`);
  writer.line(0, 'defaults:');
  writer.line(1, 'on_error: quarantine');
  if (draft.nodes.length > 0) writer.line(0, 'nodes:');
  for (const [index, node] of draft.nodes.entries()) {
    yield;
    const path = ['nodes', index];
    writer.item(`id: ${scalar(node.id)}`);
    writer.line(2, `label: ${scalar(node.label)}`);
    if (node.aliases.length > 0) writer.line(2, `aliases: ${flowList(node.aliases)}`);
    writer.line(2, `table: ${scalar(node.table)}`);
    writer.guess(2, node.keyGuess, [...path, 'key']);
    writer.line(2, `key: ${flowList(node.key)}`);
    writer.guess(2, node.displayGuess, [...path, 'display']);
    if (node.display !== null) writer.line(2, `display: ${scalar(node.display)}`);
    writer.columns(node.columns, path);
  }
  if (draft.edges.length > 0) writer.line(0, 'edges:');
  for (const [index, edge] of draft.edges.entries()) {
    yield;
    const path = ['edges', index];
    for (const guess of edge.guesses) writer.guess(1, guess, path);
    writer.item(`type: ${scalar(edge.type)}`);
    writer.line(2, `table: ${scalar(edge.table)}`);
    writer.line(2, `from: ${endText(edge.from)}`);
    writer.line(2, `to: ${endText(edge.to)}`);
    if (edge.key.length > 0) writer.line(2, `key: ${flowList(edge.key)}`);
    if (edge.columns.length > 0) writer.columns(edge.columns, path);
  }
  return { text: writer.text, guesses: writer.guesses };
}

class Writer {
  readonly guesses: PlacedGuess[] = [];
  private readonly lines: string[] = [];

  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  line(depth: number, text: string): void {
    this.lines.push('  '.repeat(depth) + text);
  }

  item(text: string): void {
    this.line(1, `- ${text}`);
  }

  guess(depth: number, guess: Guess | null, path: MappingPath): void {
    if (!guess) return;
    this.line(depth, `# 推测：${oneLine(guess.text.zh)}`);
    this.line(depth, `# guess: ${oneLine(guess.text.en)}`);
    this.guesses.push({ ...guess, path });
  }

  columns(columns: DraftColumn[], path: MappingPath): void {
    this.line(2, 'columns:');
    columns.forEach(({ column, property, type, isUnique, guess }, index) => {
      const pairs = [`column: ${scalar(column)}`];
      if (property !== null) pairs.push(`property: ${scalar(property)}`);
      if (type !== null) pairs.push(`type: ${scalar(type)}`);
      if (isUnique) pairs.push('rules: [unique]');
      if (guess?.kind === 'sensitive') pairs.push('sensitive: true');
      this.guess(3, guess, [...path, 'columns', index]);
      this.line(3, `- {${pairs.join(', ')}}`);
    });
  }
}

/** A text as a YAML scalar. It is quoted if a reader of YAML 1.1 or 1.2 could take the plain text for anything but text. */
export function scalar(text: string): string {
  if (plain.test(text) && !reserved.test(text)) return text;
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "''")}'`;
  const escaped = [...text].map(character => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return unprintable.test(character) ? `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}` : character;
  });
  return `"${escaped.join('')}"`;
}

function flowList(texts: string[]): string {
  return `[${texts.map(scalar).join(', ')}]`;
}

function endText({ node, match }: DraftEnd): string {
  return `{node: ${scalar(node)}, match: {${match.map(([edge, key]) => `${scalar(edge)}: ${scalar(key)}`).join(', ')}}}`;
}

/** Removes line breaks and control characters from a text for a YAML comment, because the comment would end at a line break. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Co}\u2028\u2029\ufeff\ufffe\uffff]+/gu, ' ');
}
