import { Pace } from '../common/turns/pace.js';
import { compactText, normalizeText } from './tokenize-text.js';

export interface KnownValue {
  label: string;
  property: string;
  /** The value as the graph holds it. */
  value: string;
}

/** A property with more different values is a text, not a category, and is left out. */
const mostValues = 2000;
const longestValue = 80;

/** The values of categorical properties (country, status, …). A question can name a value without naming the property. */
export class ValueDictionary {
  private readonly properties = new Map<string, { label: string; property: string; values: Map<string, string> } | null>();
  private readonly byName = new Map<string, KnownValue[]>();

  add(label: string, property: string, value: string): void {
    const id = JSON.stringify([label, property]);
    let known = this.properties.get(id);
    if (known === null || value === '' || value.length > longestValue) return;
    if (known === undefined) this.properties.set(id, (known = { label, property, values: new Map() }));
    if (known.values.has(value)) return;
    known.values.set(value, compactText(normalizeText(value)));
    if (known.values.size > mostValues) this.properties.set(id, null);
  }

  /** Ends the collecting. `find` works only afterwards. */
  async seal(pace = new Pace()): Promise<void> {
    for (const known of this.properties.values()) {
      for (const [value, name] of known?.values ?? []) {
        if (pace.isDue) await pace.turn();
        if (!known || name === '') continue;
        const entry = { label: known.label, property: known.property, value };
        const named = this.byName.get(name);
        if (named) named.push(entry);
        else this.byName.set(name, [entry]);
      }
    }
    this.properties.clear();
  }

  /** Finds the properties that hold this value, apart from case, marks, spaces and punctuation. */
  find(text: string): KnownValue[] {
    return this.byName.get(compactText(normalizeText(text))) ?? [];
  }

  get bytes(): number {
    return this.byName.size * 200;
  }
}
