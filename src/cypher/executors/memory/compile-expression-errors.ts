import { type RunningQuery } from './running-query.js';

export function undefinedVariable(query: RunningQuery, name: string, position: number): Error {
  return query.error('UndefinedVariable', { zh: `变量 ${name} 未定义`, en: `The variable ${name} is not defined` }, position);
}
