import { readdirSync } from 'node:fs';
import path from 'node:path';
import { migrations } from './migrations.js';

const files = readdirSync(path.resolve(__dirname)).flatMap(file => /^(\d{4})-.*(?<!spec)\.ts$/.exec(file)?.slice(1) ?? []);
/** A name such as `AddSchedules1700000000017` ends in the number of its file. */
const listed = migrations.map(({ name }) => name.slice(-4));

it('every file of the folder is listed, in the order of its number', () => {
  expect(listed).toEqual([...files].sort());
});
