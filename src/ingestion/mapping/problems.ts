import { SchemaError, type FieldProblem } from '../../common/errors/api-error.js';
import { pathText, type MappingPath, type MappingWarning, type Position } from './mapping.js';

const MAX_PROBLEMS = 50;

interface Sentence {
  zh: string;
  en: string;
}

/** Collects everything that is wrong with a mapping, so that one answer names it all (at most 50). */
export class MappingProblems {
  readonly warnings: MappingWarning[] = [];
  private readonly problems: FieldProblem[] = [];

  constructor(private readonly positionOf: (path: MappingPath) => Position) {}

  get isEmpty(): boolean {
    return this.problems.length === 0;
  }

  /** No more will be listed. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS;
  }

  /** @param position where in the text, when it is not where `path` stands (a misspelt key, for instance). */
  add(type: string, path: MappingPath, text: Sentence, more: { hint?: string; position?: Position } = {}): void {
    if (this.isFull) return;
    this.problems.push(mappingProblem(type, path, text, more.position ?? this.positionOf(path), more.hint));
  }

  warn(code: string, path: MappingPath, text: Sentence): void {
    if (this.warnings.length >= MAX_PROBLEMS) return;
    this.warnings.push({ code, message: `${text.zh} / ${text.en}`, path: pathText(path), ...this.positionOf(path) });
  }

  /** Throws when anything was added. */
  throwIfAny(): void {
    if (!this.isEmpty) throw mappingError(this.problems);
  }
}

export function mappingProblem(type: string, path: MappingPath, text: Sentence, position: Position, hint?: string): FieldProblem {
  const { line, column } = position;
  return {
    loc: ['body', 'mapping_yaml', ...path],
    text: { zh: `mapping_yaml validation failed at line ${line}, column ${column}: ${text.zh}`, en: text.en },
    type,
    line,
    column,
    path: pathText(path),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** 422 with every problem, in the order of the text. */
export function mappingError(problems: FieldProblem[]): SchemaError {
  const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const first = sorted[0];
  const { zh, en } = first?.text ?? { zh: '', en: '' };
  const count = sorted.length;
  return new SchemaError(sorted, {
    zh: `映射校验失败：${count} 处错误；首处在第 ${first?.line} 行第 ${first?.column} 列：${zh.replace(/^.*?: /, '')}`,
    en: `mapping_yaml validation failed: ${count} ${count === 1 ? 'error' : 'errors'}; first at line ${first?.line}, column ${first?.column}: ${en}`,
  });
}
