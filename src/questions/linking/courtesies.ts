import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type NameSource } from './link-question.js';

const greeting =
  /^\s*(?:(?:hi|hello|hey)(?: there)?|good (?:morning|afternoon|evening)|dear (?:all|team)|你们?好|您好|大家好|[嗨嘿]|哈喽|早上好|下午好|晚上好)(?:呀|啊)?[\s,，.。!！~～:：、]+/i;
const request = /^\s*(?:(?:麻烦|劳驾|拜托|烦请|不好意思|打扰一下)(?:[你您]们?|了)?(?:[\s,，]+|(?=[帮问请查给看列]|告诉|统计)))+/;
const thanks =
  /(?:(?<=[\s,，.。!！?？;；])(?:(?:many )?thanks|thank you|thx|cheers|感谢|辛苦了|拜托了?)|(?<=[\s,，.。!！?？;；]|\p{Script=Han})(?:谢谢|多谢|谢了))(?:[你您]们?)?[啦了哈]?(?: (?:(?:so|very) much|a lot|in advance))*[\s,，.。!！~～]*$/iu;
/** Maximum characters of a name that may begin or end with a courtesy: `Hello, Dolly!`, `No, Thank You`. */
const longestName = 80;

/** Removes greetings, requests and thanks that are not part of a name. A question that consists only of courtesies stays as it is. */
export function withoutCourtesies(question: string, names: Pick<NameSource, 'findByName'>): string {
  const isName = (text: string): boolean => names.findByName(normalizeText(text).trim(), 1).length > 0;
  let rest = question;
  for (const courtesy of [greeting, request]) {
    const end = courtesy.exec(rest)?.[0].length;
    if (end === undefined) continue;
    const last = Math.min(rest.length, end + longestName);
    if (!range(end, last).some(to => isName(rest.slice(0, to)))) rest = rest.slice(end);
  }
  const start = thanks.exec(rest)?.index;
  if (start !== undefined && !range(Math.max(0, start - longestName), start).some(from => isName(rest.slice(from))))
    rest = rest.slice(0, start);
  return rest.trim() === '' ? question : rest;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) + 1 }, (_, i) => from + i);
}
