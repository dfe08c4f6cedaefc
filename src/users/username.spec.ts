import { validate } from 'class-validator';
import { plainToInstance } from 'class-transformer';
import { NewUsername } from './username.js';

class Named {
  @NewUsername()
  username: string;
}

async function problemsOf(username: string): Promise<string[]> {
  return (await validate(plainToInstance(Named, { username }))).flatMap(({ constraints = {} }) => Object.keys(constraints));
}

describe('a new username', () => {
  it.each([
    'li.lei', 'Ünal', 'Ælfred', 'Đặng', '李雷', '李Lei_2', '王さん', 'カラオケ-box', '김철수lee', 'ㄅㄆbopo', '々木', 'Вера', 'Єгор', 'Ελένη', 'Հայկ',
    'نور', 'محمد۱۲', 'שרה', 'हिन्दी', 'বাংলা', 'தமிழ்', 'บุญ', 'ລາວ', 'ខ្មែរ', 'မြန်မာ', 'ბექა', 'ሰላም', 'ꆈꌠ', 'ⵣⵎ', 'null-1', 'everyones', '007',
  ])('may be %s', async username => {
    expect(await problemsOf(username)).toEqual([]);
  }); // prettier-ignore

  it.each([
    ['Cyrillic а', 'аdmin'],
    ['Cyrillic і at the end of a word', 'adm_і1'],
    ['Greek ο', 'rοοt'],
    ['Armenian օ', 'rօot'],
    ['Cherokee Ꭺ', 'Ꭺlice'],
    ['Lisu ꓐ', 'ꓐob'],
    ['Coptic ⲟ', 'bⲟb'],
    ['Cyrillic among Chinese', '李а雷'],
    ['Greek among Cyrillic', 'Вεра'],
    ['Arabic beside Latin', 'نورnur'],
  ])('has no letters that look like those of others: %s', async (_what, username) => {
    expect(await problemsOf(username)).toEqual(['usernameScripts']);
  });

  it('is as long as it is sent, and as it is stored', async () => {
    for (const username of ['ﬀ', 'ﬃ'.repeat(22), `${'e\u0301'.repeat(33)}`]) expect(await problemsOf(username)).toEqual(['isLength']);
    for (const username of ['ﬀﬀ', 'ﬀ'.repeat(32)]) expect(await problemsOf(username)).toEqual([]);
  });

  it('is not looked at further when it is too long', async () => {
    expect(await problemsOf('аb'.repeat(500_000))).toEqual(['isLength']);
    expect(await problemsOf('аb'.repeat(32))).toEqual(['usernameScripts']);
  });

  it.each(['everyone', 'Everyone', 'NULL', 'ｎｕｌｌ', 'undefined', 'anonymous', 'System', '所有人', '匿名', '系统'])(
    'is not %s, which stands for somebody else or nobody',
    async username => {
      expect(await problemsOf(username)).toEqual(['usernameReserved']);
    },
  );
});
