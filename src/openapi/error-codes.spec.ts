import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { errorCodes } from './error-codes.js';

/** The index of the code among the arguments of a constructor, by the class. */
const bases: Record<string, number> = { ApiError: 1, BusyError: 0, LanguageError: 0, CypherError: 0 };

/**
 * The codes of arguments that are not text literals, by the source of the expression. An expression that passes on the code of another
 * error adds none.
 */
const composed: Record<string, string[]> = {
  '`${kind}_not_found`': ['job_not_found', 'run_not_found', 'metric_not_found'],
  code: [],
  'error.code': [],
  'fault.code': [],
  'failure.code': [],
};

const namesBase = new RegExp(`\\b(${Object.keys(bases).join('|')})\\b`);
const src = path.resolve(__dirname, '..');

function codesOf(file: string): string[] {
  const codes: string[] = [];
  const text = readFileSync(path.join(src, file), 'utf8');
  if (!namesBase.test(text)) return codes;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node, parent: string | undefined): void => {
    const extended = ts.isClassLike(node) ? node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword) : undefined;
    const inside = ts.isClassLike(node) ? extended?.types[0]?.expression.getText() : parent;
    const base = baseOf(node, inside);
    if (base !== undefined && base in bases) {
      const code = (node as ts.CallExpression | ts.NewExpression).arguments![bases[base]!]!;
      if (ts.isStringLiteral(code)) codes.push(code.text);
      else codes.push(...(composed[code.getText()] ?? [`${file}: ${code.getText()}`]));
    }
    ts.forEachChild(node, inner => visit(inner, inside));
  };
  visit(source, undefined);
  return codes;
}

/** The class whose constructor is called: by `new`, or by `super` in a class that extends it. */
function baseOf(node: ts.Node, parent: string | undefined): string | undefined {
  if (ts.isNewExpression(node)) return node.expression.getText();
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword ? parent : undefined;
}

describe('the codes of errors in the document', () => {
  it('are those of the error classes, in order', () => {
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(file => /(?<![.-]spec)\.ts$/.test(file));
    const codes = new Set(files.flatMap(codesOf));
    // An error with the code `validation_failed` is answered with a list of problems in `detail.errors` instead of the code.
    codes.delete('validation_failed');
    expect(errorCodes).toEqual([...codes].sort());
  });
});
