import { isCommonWord } from './stop-words.js';

const opening = '"\'“‘「『《〈[(（【';
const closing = '"\'”’」』》〉])）】';

/** Hints from the spelling of a question that a stretch is a name: capital letters and quotes. Offsets refer to the normalised question. */
export class NameHints {
  /** The question as it was written; null if normalising has changed its length, so that offsets do not fit. */
  private readonly written: string | null;
  private readonly usesCapitals: boolean;
  /** Whether the question has Chinese characters. Latin words in such a question are not part of its grammar. */
  private readonly isChinese: boolean;

  constructor(question: string, normalized: string) {
    this.written = question.length === normalized.length ? question : null;
    this.isChinese = /\p{Script=Han}/u.test(question);
    const words = [...(this.written ?? '').matchAll(/[^\P{L}\p{Script=Han}]+/gu)].map(([word]) => word);
    const startsCapital = words.slice(this.isChinese ? 0 : 1).map(word => /^\p{Lu}/u.test(word));
    // Capitals are not a hint In A Title Or ALL CAPITALS.
    this.usesCapitals = startsCapital.includes(true) && (this.isChinese || startsCapital.includes(false));
  }

  /**
   * Whether a stretch is in quotes, is a lone Latin word (`standsAlone`), or has a capital in each important word. The first word of an
   * English question has a capital anyway, so a stretch of only this word does not count.
   */
  looksLikeName(start: number, end: number): boolean {
    const { written } = this;
    if (written === null) return false;
    if (this.isQuoted(start, end) || this.standsAlone(start, end)) return true;
    if (!this.usesCapitals) return false;
    const words = [...written.slice(start, end).matchAll(/[\p{L}\p{N}]+/gu)].map(match => ({ word: match[0], at: start + match.index }));
    const isFirst = !this.isChinese && written.slice(0, start).trim() === '';
    const matter = words.filter(({ word }, i) => i === 0 || word.length > 3 || !isCommonWord(word.toLowerCase()));
    return (
      matter.length > 0 && matter.every(({ word }) => /^[\p{Lu}\p{N}]/u.test(word)) && (!isFirst || matter.length > 1) && /\p{Lu}/u.test(written.slice(start, end)) // prettier-ignore
    );
  }

  /** Whether a Latin word must be a name, because it stands among Chinese text or before `'s`: `May的积分`, `May's points`. */
  standsAlone(start: number, end: number): boolean {
    const { written } = this;
    if (written === null || !/^[a-z]+$/i.test(written.slice(start, end))) return false;
    if (/^['’]s\s/.test(written.slice(end)) && !/^(?:it|that|what|who|where|when|how|there|here|let|he|she)$/i.test(written.slice(start, end))) return true; // prettier-ignore
    return this.isChinese && !/[a-z]\s*$/i.test(written.slice(0, start)) && !/^\s*[a-z]/i.test(written.slice(end));
  }

  /** Whether a stretch may be a part of a name, or a misspelt name. If the question uses capitals, the stretch must look like a name. */
  mayBeName(start: number, end: number): boolean {
    return !this.usesCapitals || this.looksLikeName(start, end) || this.written === null;
  }

  /** Whether a word is in lower case, in a question in which names have capitals. */
  isSmall(start: number): boolean {
    return this.usesCapitals && /^\p{Ll}/u.test(this.written?.slice(start) ?? '');
  }

  /** Whether a word has a capital, in a question in which only names have capitals. */
  isCapital(start: number): boolean {
    return this.usesCapitals && /^\p{Lu}/u.test(this.written?.slice(start) ?? '');
  }

  /** Whether a word is written as an acronym: `US`, `IT`. `AND` and words of four or more capitals are taken for emphasis. */
  isAcronym(start: number, end: number): boolean {
    return this.isCapital(start) && /^(?!AND$)\p{Lu}{2,3}$/u.test(this.written?.slice(start, end) ?? '');
  }

  isQuoted(start: number, end: number): boolean {
    const [before, after] = [this.written?.[start - 1] ?? '', this.written?.[end] ?? ''];
    return before !== '' && after !== '' && opening.includes(before) && closing.includes(after);
  }
}
