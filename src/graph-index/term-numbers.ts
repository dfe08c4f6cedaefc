import { hashText } from './fnv.js';

const mapCount = 256;

/** Numbers terms in the order in which they come. One map of millions of terms would hold the event loop for 0.1 s whenever it grows. */
export class TermNumbers {
  /** The terms, by number. */
  readonly texts: string[] = [];
  private readonly maps = Array.from({ length: mapCount }, () => new Map<string, number>());

  get size(): number {
    return this.texts.length;
  }

  get(text: string): number | undefined {
    return this.mapOf(text).get(text);
  }

  /** @param text is new */
  add(text: string): number {
    const number = this.texts.push(text) - 1;
    this.mapOf(text).set(text, number);
    return number;
  }

  private mapOf(text: string): Map<string, number> {
    const hash = hashText(text);
    return this.maps[(hash ^ (hash >>> 16)) & (mapCount - 1)]!;
  }
}
