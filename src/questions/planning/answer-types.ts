import { senseOf } from '../linking/synonyms.js';
import { isAgentNoun } from '../linking/word-roots.js';
import { type GraphSchema, type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { keptBySchema } from './kept-by-schema.js';

/** Kind of answer to a question word: a person or organisation, a time, a place, or anything. */
export type AnswerType = 'who' | 'when' | 'where' | 'what';

const kinds = {
  who:
    'person people human man woman employee staff customer supplier user member author actor director writer player student teacher doctor ' +
    'patient manager owner contact company organisation organization team shipper artist author reviewer agent seller founder leader ' +
    'coach trainer captain referee nurse lawyer judge engineer researcher professor scientist driver pilot singer musician composer ' +
    'editor journalist secretary chairman president resident tenant guest subscriber reader borrower applicant candidate contractor ' +
    'technician clerk volunteer partner investor shareholder club scout chef cook pupil child athlete soldier officer priest intern apprentice mentee umpire patron ' +
    'citizen delegate spouse ' +
    '人 人物 人员 员工 客户 顾客 供应商 用户 会员 作者 演员 导演 学生 老师 教师 医生 患者 经理 联系人 公司 企业 组织 团队 承运商 卖家 买家 编剧 乘客 居民 租户 客人 护士 律师 法官 教授 专家 股东 导师 代表 主管 船长 校长 院长 球队 俱乐部',
  when: 'year date time month day period 年 年份 日期 时间 月份',
  where:
    'place location city country region address area state province district street 地点 地址 城市 国家 地区 省 省份 市 区县 县级 地级 省级',
};
/** Chinese nouns for persons: 球员, 厨师, 读者, 负责人. */
const person = /\p{Script=Han}(?:员|师|者|(?<!器)人)$/u;
const sensesOf = (list: string): ReadonlySet<string> => new Set(list.split(' ').map(senseOf));
/** Senses of the nouns for persons, except nouns for doers: a `shipper` is a person, but a `ship`, with the same root, is not. */
const persons = new Set(
  kinds.who
    .split(' ')
    .filter(word => !isAgentNoun(word))
    .map(senseOf),
);
const words = { who: sensesOf(kinds.who), when: sensesOf(kinds.when), where: sensesOf(kinds.where) };

/** Whether the names of a label show that its nodes may answer a question word: `Employee` answers `who`. */
export function isOfType(label: LabelSchema, type: AnswerType): boolean {
  return type === 'what' || [label.name, ...label.aliases].some(name => saysType(name, type));
}

/** Whether nodes of the label `name` may answer `who`. */
export const isWho = keptBySchema(({ labels }, name: string): boolean =>
  labels.some(label => label.name === name && isOfType(label, 'who')),
);

/** The properties of a label that answer a question word: dates for `when`. */
export function propertiesOfType(label: LabelSchema, type: AnswerType): PropertySchema[] {
  if (type === 'who' || type === 'what') return [];
  return label.properties.filter(
    ({ name, type: held, column }) =>
      (type === 'when' && /^(?:date|datetime|localdatetime)$/.test(held)) || [name, column ?? ''].some(own => saysType(own, type)),
  );
}

export function hasType(schema: GraphSchema, type: AnswerType): boolean {
  return schema.labels.some(label => isOfType(label, type));
}

function saysType(name: string, type: keyof typeof kinds): boolean {
  const last =
    name
      .toLowerCase()
      .split(/[_\s]+|(?<=[a-z])(?=[A-Z])/)
      .at(-1) ?? '';
  return (
    (words[type].has(senseOf(last)) && (type !== 'who' || persons.has(senseOf(last)) || isAgentNoun(last))) ||
    (type === 'who' && person.test(last))
  );
}
