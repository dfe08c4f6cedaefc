import { type Bilingual, type Phrase } from '../../text/bilingual.js';
import { LanguageError } from '../../text/language-error.js';
import { type Place, type Span } from '../../text/place.js';
import { type Mapping, type MappingPath, type MappingWarning } from './mapping.js';
import { type ReadablePart, readablePart } from './readable-part.js';

/** The most problems that one answer lists. */
export const maxProblems = 50;

/** One problem of a mapping. */
export interface MappingProblem extends Span {
  /** The stable code of the problem, for programs. */
  type: string;
  path: MappingPath;
  text: Bilingual;
  /** Advice, or a list of the known names. */
  hint?: Phrase | undefined;
}

/** All problems of a mapping, in the order of its text. */
export class MappingError extends LanguageError {
  readonly problems: readonly MappingProblem[];

  /**
   * @param problems at least one
   * @param readable the part of the mapping that can be compared with its source despite the problems; null for none
   */
  constructor(
    problems: readonly MappingProblem[],
    cause?: unknown,
    readonly readable: ReadablePart | null = null,
  ) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    const { line, column, text } = sorted[0]!;
    const count = sorted.length;
    super(
      'validation_failed',
      {
        zh: `映射校验失败：${count} 处错误；首处在第 ${line} 行第 ${column} 列：${text.zh}`,
        en: `mapping_yaml validation failed: ${count} ${count === 1 ? 'error' : 'errors'}; first at line ${line}, column ${column}: ${text.en}`,
      },
      { line, column },
      {},
      cause,
    );
    this.problems = sorted;
  }
}

/** Collects the problems of a mapping, so that one answer lists them all (at most 50). */
export class MappingProblems {
  readonly warnings: MappingWarning[] = [];
  private readonly problems: MappingProblem[] = [];

  constructor(readonly placeOf: (path: MappingPath) => Span) {}

  /** True if no further problem will be listed. */
  get isFull(): boolean {
    return this.problems.length >= maxProblems;
  }

  /** @param place the place in the text, if it is not the place of `path`; for example that of a misspelt key */
  add(
    type: string,
    path: MappingPath,
    text: Bilingual,
    { hint, place }: { hint?: Phrase | undefined; place?: Place & Partial<Span> } = {},
  ): void {
    if (this.isFull) return;
    this.problems.push({ type, path, text, hint, ...(place ? { end: place, ...place } : this.placeOf(path)) });
  }

  warn(code: string, path: MappingPath, text: Bilingual): void {
    if (this.warnings.length >= maxProblems) return;
    this.warnings.push({ code, path, text, ...this.placeOf(path) });
  }

  /**
   * @param mapping the mapping without the parts that could not be read
   * @throws MappingError when a problem was added
   */
  throwIfAny(mapping: Mapping | null = null): void {
    if (this.problems.length === 0) return;
    const readable = mapping && !this.isFull ? readablePart(mapping, this.problems, this.placeOf) : null;
    throw new MappingError(this.problems, undefined, readable);
  }
}
