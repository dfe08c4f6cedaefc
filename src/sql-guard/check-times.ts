import { type Bilingual } from '../text/bilingual.js';
import { constantText } from './constant-text.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

const lead = String.raw`^[\p{L}\d\s./,-]{0,60}?`;
const trail = String.raw`[\p{L}\d\s:./_+()-]{0,60}$`;
/** Matches a fraction with a digit other than 0 after its sixth digit. */
const tooFine = '[.,][0-9]{6}[0-9]*[1-9]';
/**
 * Texts with the form of a time that PostgreSQL would change: it rounds the seventh decimal of a second, so that 23:59:59.9999999 becomes
 * the next day, and makes 23:59:60 the time 24:00.
 */
const changedTimes = [
  String.raw`(?<![\d:.])\d{1,4}:\d{2}:\d{2}${tooFine}`,
  String.raw`(?<![\d:.])\d{1,2}:[0-5]\d:60(?![\d:])`,
  String.raw`(?<![\d:.])\d{1,3}:\d{2}${tooFine}`,
  String.raw`\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[Tt\s]\s*(?:[01]\d|2[0-3])[0-5]\d(?:\d{2}${tooFine}|60(?!\d))`,
  String.raw`\d*${tooFine}\s*[Ss](?:[Ee][Cc](?:[Oo][Nn][Dd])?[Ss]?)?(?!\p{L})`,
].map(clock => new RegExp(`${lead}${clock}${trail}`, 'u'));
/** In an interval PostgreSQL also rounds fractions of days and of numbers without a unit, so any such fraction is refused. */
const changedInterval = new RegExp(tooFine);

/** For each function that makes a time of numbers, the position of the seconds among its arguments. */
const secondsAt: Readonly<Record<string, number>> = { make_time: 2, make_timestamp: 5, make_timestamptz: 5, to_timestamp: 0 };

/** Refuses a text that reads as a time which PostgreSQL would round. @throws Refusal */
export function checkTime(node: NodeFields, offset: number | undefined): void {
  const text = constantText({ A_Const: node });
  if (text !== null && changedTimes.some(form => form.test(text))) throw changed(text, offset);
}

/** Refuses a text as an interval if PostgreSQL would round it. @throws Refusal */
export function checkInterval({ arg, typeName }: NodeFields, offset: number | undefined): void {
  const text = nameParts((typeName as NodeFields).names).at(-1) === 'interval' ? constantText(arg) : null;
  if (text !== null && changedInterval.test(text)) throw changed(text, offset);
}

/** Refuses a call such as `make_time(1, 2, 3.1234567)` whose constant seconds PostgreSQL would change. @throws Refusal */
export function checkSeconds(name: string, node: NodeFields, offset: number | undefined): void {
  if (!Object.hasOwn(secondsAt, name)) return;
  const seconds = ((node.args ?? []) as { A_Const?: { ival?: { ival?: number }; fval?: { fval: string } } }[])[secondsAt[name]!]?.A_Const;
  const written = seconds?.fval?.fval ?? String(seconds?.ival?.ival ?? 0);
  if (changedInterval.test(written) || (name !== 'to_timestamp' && Number(written) >= 60)) throw changed(written, offset);
}

function changed(text: string, offset: number | undefined): Refusal {
  return new Refusal('type_mismatch', text.slice(0, 40), offset, exactTime, wouldRound);
}

const wouldRound: Bilingual = {
  zh: 'PostgreSQL 会改动这个时间：秒的小数多于六位会被舍入（可能变成次日），60 秒会变成下一分钟',
  en: 'PostgreSQL would change this time: it rounds a second of more than six decimals, possibly to the next day, and makes second 60 the next minute',
};
const exactTime: Bilingual = {
  zh: "秒最多写六位小数；要取到某日为止，请写 < '次日'；如果它不是时间，请用 || 把文本分成两段",
  en: "write at most six decimals; for everything up to a day write < 'the next day'; if it is not a time, write the text in two pieces with ||",
};
