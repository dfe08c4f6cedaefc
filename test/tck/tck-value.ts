/**
 * Reads values as the TCK writes them: `(:A {num: 1})`, `[:T]`, `'text'`, `[1, null]`, `{a: 1}`. Both sides of a comparison become
 * a text that is equal for equal values: nodes and relationships without ids, map keys in order, numbers by value.
 */
export function readTckValue(text: string): unknown {
  const reader = new ValueReader(text);
  const value = reader.value();
  if (!reader.atEnd()) throw new Error(`not a TCK value: ${text}`);
  return value;
}

/** A result cell in the form of readTckValue. A node with the empty label stands for one without labels. */
export function fromResult(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 && value[0] === '' ? [] : value.map(fromResult);
  if (value === null || typeof value !== 'object') return value;
  const { _kind: kind, label, type, properties } = value as { _kind?: string; label?: string; type?: string; properties?: object };
  if (kind === 'node') return { node: label === '' ? [] : [label], properties: fromResult(properties) };
  if (kind === 'edge') return { edge: type, properties: fromResult(properties) };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fromResult(inner)]));
}

export function canonical(value: unknown, anyListOrder: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map(item => canonical(item, anyListOrder));
    return `[${(anyListOrder ? items.sort() : items).join(',')}]`;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner, anyListOrder)}`).join(',')}}`;
  }
  // Decimal arithmetic has more digits than the doubles for which the TCK was written.
  return typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(12).replace(/0+$/, '') : JSON.stringify(value);
}

class ValueReader {
  private at = 0;

  constructor(private readonly text: string) {}

  atEnd(): boolean {
    return this.rest().trim() === '';
  }

  value(): unknown {
    this.take(/\s*/y);
    if (this.take(/null\b/y) !== null) return null;
    if (this.take(/true\b/y) !== null) return true;
    if (this.take(/false\b/y) !== null) return false;
    const number = this.take(/-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== null) return Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER && /^-?\d+$/.test(number) ? number : Number(number);
    const string = this.take(/'(?:[^'\\]|\\.)*'/y);
    if (string !== null) return string.slice(1, -1).replace(/\\(.)/g, '$1');
    if (this.rest().startsWith('<')) throw new Error('paths are not read');
    if (this.take(/\(/y) !== null) return this.element('node', ')');
    if (this.take(/\[(?=:)/y) !== null) return this.element('edge', ']');
    if (this.take(/\[/y) !== null) return this.items(']', () => this.value());
    if (this.take(/\{/y) !== null) return this.map();
    throw new Error(`not a TCK value: ${this.text}`);
  }

  private element(kind: 'node' | 'edge', close: string): unknown {
    const labels: string[] = [];
    for (let label = this.take(/\s*:(\w+)/y); label !== null; label = this.take(/\s*:(\w+)/y)) labels.push(label.trim().slice(1));
    const properties = this.take(/\s*\{/y) === null ? {} : this.map();
    if (this.take(new RegExp(`\\s*\\${close}`, 'y')) === null) throw new Error(`not a TCK value: ${this.text}`);
    return { [kind]: kind === 'node' ? labels : labels[0], properties };
  }

  private map(): Record<string, unknown> {
    const entries = this.items('}', () => {
      const key = this.take(/\s*[^\s:]+\s*:/y);
      if (key === null) throw new Error(`not a TCK value: ${this.text}`);
      return [key.trim().slice(0, -1).trim().replaceAll('`', ''), this.value()] as const;
    });
    return Object.fromEntries(entries);
  }

  private items<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    while (this.take(new RegExp(`\\s*\\${close}`, 'y')) === null) {
      items.push(item());
      this.take(/\s*,/y);
    }
    return items;
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  private rest(): string {
    return this.text.slice(this.at);
  }
}
