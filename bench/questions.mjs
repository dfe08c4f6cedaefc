// Measures how well and how fast the service understands questions: MetaQA, and our own business questions, whose answers SQL computes.
import path from 'node:path';
import { benchBusiness } from './questions/business.mjs';
import { benchMetaQa } from './questions/metaqa.mjs';
import { databaseUrl, logIn, startService } from './service.mjs';

const data = path.resolve(import.meta.dirname, '..', '..', 'shared', 'data');

/** @param options `sample`: questions of each MetaQA hop, 0 for all; `sets`: some of demo, northwind, divisions and metaqa */
export async function benchQuestions(folder, { sample, seed, sets }) {
  const directory = `${folder}/questions`;
  const service = await startService(directory);
  try {
    const api = await logIn(service.url);
    await benchBusiness(service, api, { database: await databaseUrl(directory), data, sets });
    if (sets.includes('metaqa')) await benchMetaQa(service, api, { folder: path.join(data, 'metaqa'), sample, seed });
  } finally {
    await service.stop();
  }
}
