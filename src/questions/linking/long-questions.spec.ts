import { Pace } from '../../common/turns/pace.js';
import { Lexicon } from './lexicon.js';
import { linkQuestion } from './link-question.js';

/** Counts how often linking reads a meaning, and keeps the highest count between two points at which linking may pause. */
class CountingPace extends Pace {
  longest = 0;
  private looked = 0;

  note(): void {
    this.longest = Math.max(this.longest, ++this.looked);
  }

  override get isOverdue(): boolean {
    this.looked = 0;
    return false;
  }
}

const labels = ['供应商', '客户', '工厂'].map(name => ({
  name,
  aliases: [],
  displayProperty: null,
  keyProperties: [],
  properties: [
    ...['等级', '备注'].map(property => ({ name: property, type: 'string' })),
    ...['入职日期', '加入日期'].map(property => ({ name: property, type: 'date' })),
    { name: '数量', type: 'int' },
  ],
  rowCount: 9,
}));

/** The most reads of meanings between two pauses, for a question over labels that have the same properties. */
async function longestGo(question: string): Promise<number> {
  const pace = new CountingPace();
  const counted = <T extends object>(each: T): T =>
    new Proxy(each, {
      get: (target, name) => {
        pace.note();
        return Reflect.get(target, name) as unknown;
      },
    });
  const lexicon = await Lexicon.build({ labels, edges: [] }, [], new Pace());
  const find = lexicon.find.bind(lexicon);
  lexicon.find = text => find(text).map(counted);
  await linkQuestion(
    question,
    '2026-11-20',
    lexicon,
    {
      findByName: () => [],
      findValues: text => (/^[a-d]$/.test(text) ? labels.map(({ name }) => counted({ label: name, property: '等级', value: text })) : []),
      search: () => Promise.resolve({ hits: [], total: 0, corrections: [], unread: 0 }),
    },
    pace,
  );
  return pace.longest;
}

describe('linkQuestion with a long question', () => {
  it.each([
    ['入职', 65],
    ['等级a', 35],
    ['等级a、b和c', 16],
    ['备注为空', 35],
    ['备注包含x的', 35],
  ])('looks at no more than twice the meanings in one go if %s is written twice as often', async (words, times) => {
    const [once, twice] = [await longestGo(words.repeat(times)), await longestGo(words.repeat(2 * times))];
    expect(twice).toBeLessThan(3 * once);
  });
});
