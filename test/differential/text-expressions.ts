import { type Expressions } from './expressions.js';
import * as naive from './naive-functions.js';
import { calculate, Day, equal, type Value } from './naive-values.js';
import { type Expression, type Scope } from './scope.js';

type Run = Expression['run'];

/** Makes a text with functions, which only the memory executor supports. */
export function textExpression(scope: Scope, plain: Expressions, make: { day: () => Expression; textList: () => Expression }): Expression {
  const { dice } = scope;
  const text = plain.property('string');
  const ofText = (written: string, call: (text: string) => Value): Expression => ({
    text: written.replace('$', text.text),
    run: row => (text.run(row) === null ? null : call(text.run(row) as string)),
  });
  const [a, b] = [dice.between(0, 3), dice.between(0, 2)];
  switch (dice.of(['case', 'substring', 'left', 'right', 'replace', 'reverse', 'toString', 'join', 'trim', 'coalesce', 'item', 'nullIf'])) {
    case 'case':
      return dice.chance(0.5) ? ofText('toUpper($)', each => each.toUpperCase()) : ofText('toLower($)', each => each.toLowerCase());
    case 'substring':
      if (dice.chance(0.5)) return ofText(`substring($, ${a})`, each => naive.characters(each).slice(a).join(''));
      return ofText(`substring($, ${a}, ${b})`, each => naive.characters(each).slice(a, a + b).join('')); // prettier-ignore
    case 'left':
      return ofText(`left($, ${a})`, each => naive.characters(each).slice(0, a).join(''));
    case 'right':
      return ofText(`right($, ${a})`, each => naive.characters(each).slice(Math.max(0, naive.characters(each).length - a)).join('')); // prettier-ignore
    case 'replace': {
      const part = dice.of(['a', 'b', 'ab', '1', '']);
      return ofText(`replace($, '${part}', 'xy')`, each => (part === '' ? each : each.split(part).join('xy')));
    }
    case 'reverse':
      return ofText('reverse($)', each => naive.characters(each).reverse().join(''));
    case 'toString': {
      const kind = dice.of(['integer', 'boolean', 'string', 'day'] as const);
      const value = kind === 'day' ? make.day() : plain.property(kind);
      const run: Run = row => (value.run(row) === null ? null : writtenOut(value.run(row) as bigint | boolean | string | Day));
      return { text: `toString(${value.text})`, run };
    }
    case 'join': {
      const other = plain.term('string');
      return { text: `(${text.text} + ${other.text})`, run: row => calculate('+', text.run(row), other.run(row)) };
    }
    case 'trim':
      return ofText("trim(' ' + $ + '  ')", each => each);
    case 'coalesce': {
      const other = plain.term('string');
      return { text: `coalesce(${text.text}, ${other.text})`, run: row => text.run(row) ?? other.run(row) };
    }
    case 'item': {
      const index = dice.between(-2, 2);
      const list = make.textList();
      return { text: `${list.text}[${index}]`, run: row => (list.run(row) === null ? null : naive.itemOf(list.run(row) as Value[], BigInt(index))) }; // prettier-ignore
    }
    default: {
      const other = plain.constant('string');
      const run: Run = row => (equal(text.run(row), other.run(row)) === true ? null : text.run(row));
      return { text: `nullIf(${text.text}, ${other.text})`, run };
    }
  }
}

function writtenOut(value: bigint | boolean | string | Day): string {
  return value instanceof Day ? value.text : String(value);
}
