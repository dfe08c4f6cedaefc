import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { type Phrase, joined } from '../text/bilingual.js';
import { anchorOf } from './mapping/mapping-reference.js';
import { pathText } from './mapping/mapping.js';
import { type MappingError, type MappingProblem } from './mapping/problems.js';

/** 422 with every problem of a mapping. */
export class MappingRefusedError extends SchemaError {
  constructor({ problems, text }: MappingError) {
    super(problems.map(toFieldProblem), text);
  }
}

function toFieldProblem({ type, path, text: { zh, en }, hint, line, column, end }: MappingProblem): FieldProblem {
  return {
    loc: ['body', 'mapping_yaml', ...path],
    text: { zh: `mapping_yaml validation failed at line ${line}, column ${column}: ${zh}`, en },
    type,
    line,
    column,
    end_line: end.line,
    end_column: end.column,
    path: pathText(path),
    documentation_url: `/docs/mapping#${anchorOf(path)}`,
    ...(hint === undefined ? {} : { hint: hintText(hint) }),
  };
}

function hintText(hint: Phrase): string {
  return typeof hint === 'string' ? hint : joined(hint);
}
