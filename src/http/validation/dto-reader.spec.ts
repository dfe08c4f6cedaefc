import { ArrayMaxSize, IsArray, IsInt, IsOptional, IsString } from 'class-validator';
import { turnsOfOthers } from '../../../test/support/turns.js';
import { DtoReader } from './dto-reader.js';
import { Nested } from './nested.decorator.js';

class Item {
  @IsString()
  name: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  words?: string[];

  @IsOptional()
  @IsInt()
  count: number = 7;
}

class Order {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(500)
  @Nested(Item, { each: true })
  items?: Item[];

  @IsOptional()
  @Nested(Item)
  first?: Item;
}

async function read(body: object): Promise<{ dto: Order; places: string[]; types: string[] }> {
  const reader = new DtoReader();
  const dto = (await reader.read(Order, body, ['body'])) as Order;
  const problems = reader.listProblems(false);
  return { dto, places: problems.map(({ loc }) => loc.join('.')), types: problems.map(({ type }) => type) };
}

it('makes a DTO of every object, with its defaults', async () => {
  const { dto, places } = await read({ items: [{ name: 'a' }, { name: 'b', count: null }], first: { name: 'c', count: 1 } });
  expect(places).toEqual([]);
  expect(dto).toBeInstanceOf(Order);
  expect(dto.items!.every(item => item instanceof Item)).toBe(true);
  expect([...dto.items!, dto.first!].map(({ name, count }) => [name, count])).toEqual([
    ['a', 7],
    ['b', 7],
    ['c', 1],
  ]);
});

it('names the place of each problem', async () => {
  const { places, types } = await read({ items: [{ name: 1 }, 5, {}, { name: 'a', words: [2] }, [], null], first: 'x', more: 1 });
  expect(places).toEqual([
    'body.first',
    'body.items.0.name',
    'body.items.1',
    'body.items.2.name',
    'body.items.3.words',
    'body.items.4',
    'body.items.5',
    'body.more',
  ]);
  expect(types).toEqual([
    'object_type',
    'string_type',
    'object_type',
    'missing',
    'string_type',
    'object_type',
    'object_type',
    'unknown_field',
  ]);
});

it('looks at no more of a list than shows that it is too long, and lists no more than a hundred problems', async () => {
  let looked = 0;
  const item = new Proxy({ name: 'a' }, { ownKeys: target => (looked++, Reflect.ownKeys(target)) });
  expect((await read({ items: Array.from({ length: 90_000 }, () => item) })).places).toEqual(['body.items']);
  expect(looked).toBeLessThan(2_000);
  const { types } = await read({ items: Array.from({ length: 500 }, () => ({})) });
  expect(types.slice(0, 100)).toEqual(Array(100).fill('missing'));
  expect(types.slice(100)).toEqual(['more_problems']);
  expect((await read({ items: Array.from({ length: 100 }, () => ({})) })).types).toEqual(Array(100).fill('missing'));
});

it('lets others have turns while it reads a large body', async () => {
  const words = Array.from({ length: 50 }, () => 'a');
  const items = Array.from({ length: 500 }, () => ({ name: 'a', words }));
  expect(await turnsOfOthers(() => read({ items }))).toBeGreaterThan(1);
});
