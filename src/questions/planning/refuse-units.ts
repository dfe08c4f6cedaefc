import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { isMeasuredIn, toldMultiple, toldUnits, type Unit } from '../linking/units.js';
import { type Threshold } from './measures.js';
import { UnplannableError } from './question-plan.js';

/** Matches a number that is written with a word for a multiple: `500万`, `5 million`. */
const asMultiple = /[万亿]|\d\s?[百千]|\b(?:thousand|million|billion)\b/;

/**
 * Refuses a number in a unit that the name of the compared property does not tell: 5000克 is not 5000 of `weight_kg`. A number of things has
 * no unit. The numbers of 估价（万元） and `budget_meur` are multiples themselves, so 500万 and 500元 are not compared with them.
 * @throws UnplannableError
 */
export function refuseUnit({ unit, property, counted, mention }: Threshold, compared: PropertySchema | null): void {
  const multiple = compared && toldMultiple(compared);
  if (multiple && (unit || asMultiple.test(mention.text))) throw inMultiples(property?.mention.text ?? compared.name, multiple);
  if (!unit) return;
  if (counted)
    throw new UnplannableError(
      `“${counted.mention.text}”按数量比较，不能用“${unit.text}”；请写出属性，或去掉“${unit.text}”`,
      `"${counted.mention.text}" is compared by number, not in "${unit.text}"; name a property, or leave out "${unit.text}"`,
    );
  const told = compared && toldUnits(compared);
  if (!compared || isMeasuredIn(unit, told)) return;
  throw otherUnit(property?.mention.text ?? compared.name, unit, told);
}

function otherUnit(name: string, { text }: Unit, units: readonly string[] | null): UnplannableError {
  const told = units?.[0];
  if (told === undefined)
    return new UnplannableError(
      `“${name}”的名称没有说明单位，不能按“${text}”比较；去掉“${text}”则按存储的数值比较`,
      `The name of "${name}" does not tell its unit, so it cannot be compared in "${text}"; leave out "${text}" to compare the stored numbers`,
    );
  return new UnplannableError(
    `“${name}”的单位是 ${told}，不能按“${text}”比较；请把数换算成 ${told}`,
    `"${name}" is in ${told} and cannot be compared in "${text}"; give the number in ${told}`,
  );
}

function inMultiples(name: string, multiple: string): UnplannableError {
  return new UnplannableError(
    `“${name}”的数以“${multiple}”为单位；请换算成“${multiple}”，只写数，不写单位`,
    `The numbers of "${name}" are in "${multiple}"; give the number in it, without a unit or a word such as "million"`,
  );
}
