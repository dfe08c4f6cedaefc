import { inOneTurn } from '../common/turns/one-turn.js';
import { loadSqlParser, parserWorks, parseSql, scanTokens, SqlSyntaxError } from './sql-parser.js';

beforeAll(loadSqlParser);

const columns = Array.from({ length: 2_000 }, (_, index) => `column_${index}`).join(', ');

/** Runs turns of 30 ms until one is ended in the middle of a parse. Nearly always the first one is. */
function endInTheMiddle(): void {
  for (let number = 0; ;) {
    expect(() =>
      inOneTurn(() => {
        for (;;) parseSql(`SELECT ${columns} FROM t${number++}`);
      }, 30),
    ).toThrow(/ended|busy/);
    try {
      parseSql(`SELECT ${number++}`);
    } catch (error) {
      expect(error).toMatchObject({ status: 503, code: 'machine_busy' });
      return;
    }
  }
}

describe('a parser whose turn is ended in the middle', () => {
  it('is replaced by another one, and until then refuses every parse as busy', async () => {
    endInTheMiddle();
    await loadSqlParser();
    expect(parseSql('SELECT 2')).toHaveLength(1);
    expect(() => parseSql('SELEC 2')).toThrow(SqlSyntaxError);
    expect(scanTokens('SELECT 2').map(({ text }) => text)).toEqual(['SELECT', '2']);
    expect(parserWorks()).toBe(true);
  });

  it('is replaced each time', async () => {
    for (let time = 0; time < 5; time++) {
      endInTheMiddle();
      await loadSqlParser();
      expect(parseSql(`SELECT ${time}`)).toHaveLength(1);
    }
  });
});
