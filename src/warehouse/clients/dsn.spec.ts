import { postgresKind } from './postgres/postgres-kind.js';

describe('a DSN of PostgreSQL', () => {
  it.each([
    ['postgres://reader:secret@db.example.com/sales', 'postgres://reader:***@db.example.com:5432/sales', 'db.example.com:5432/sales'],
    ['postgresql://reader@db:6543/sales', 'postgresql://reader@db:6543/sales', 'db:6543/sales'],
    [
      'postgres://u:p%40ss%2F%3A@[2001:4860::1]:5433/%E9%94%80%E5%94%AE',
      'postgres://u:***@[2001:4860::1]:5433/%E9%94%80%E5%94%AE',
      '[2001:4860::1]:5433/销售',
    ],
    ['POSTGRES://u@10.0.0.1/d?sslmode=require', 'postgres://u@10.0.0.1:5432/d?sslmode=require', '10.0.0.1:5432/d'],
    ['postgres://u:@h/d', 'postgres://u@h:5432/d', 'h:5432/d'],
  ])('is taken and shown without its password: %s', (dsn, masked, place) => {
    expect(postgresKind.check(dsn)).toEqual([]);
    expect([postgresKind.mask(dsn), postgresKind.place(dsn)]).toEqual([masked, place]);
    // The masked DSN has the same place.
    expect(postgresKind.place(masked)).toBe(place);
  });

  it.each([
    ['', 'dsn_form'],
    ['db.example.com', 'dsn_form'],
    ['mysql://u:secret@h/d', 'dsn_form'],
    ['postgres://u:secret@h/d#x', 'dsn_form'],
    ['postgres://u:sec@ret@h/d', 'dsn_form'],
    ['postgres://u:sec/ret@h/d', 'dsn_form'],
    ['postgres://u:1?secret=@h/d', 'dsn_parameter'],
    ['postgres://u:%zz@h/d', 'dsn_form'],
    ['postgres://u:a%00b@h/d', 'dsn_form'],
    ['host=h user=u password=secret dbname=d', 'dsn_form'],
    ['postgres://h/d', 'dsn_form'],
    ['postgres://u@h', 'dsn_form'],
    ['postgres://u@/d', 'dsn_host'],
    ['postgres://u@%2Fvar%2Frun/d', 'dsn_host'],
    ['postgres:///d?host=/var/run', 'dsn_host'],
    ['postgres://u@h1,h2/d', 'dsn_hosts'],
    ['postgres://u@h1:1,h2:2/d', 'dsn_hosts'],
    ['postgres://u@[fe80::1%25eth0]/d', 'dsn_host'],
    ['postgres://u@::1/d', 'dsn_host'],
    ['postgres://u@h:0/d', 'dsn_port'],
    ['postgres://u@h:70000/d', 'dsn_port'],
    ['postgres://u@h/d?host=/var/run', 'dsn_parameter'],
    ['postgres://u@h/d?options=-c%20x', 'dsn_parameter'],
    ['postgres://u@h/d?service=x', 'dsn_parameter'],
    ['postgres://u@h/d?passfile=/etc/passwd', 'dsn_parameter'],
    ['postgres://u@h/d?sslcert=/x&sslkey=/y', 'dsn_parameter'],
    ['postgres://u@h/d?sslrootcert=/x', 'dsn_parameter'],
    ['postgres://u@h/d?hostaddr=127.0.0.1', 'dsn_parameter'],
    ['postgres://u@h/d?sslmode=verify-ca', 'dsn_parameter'],
    ['postgres://u@h/d?sslmode=disable&sslmode=require', 'dsn_parameter'],
    ['postgres://u@h/d?connect_timeout=0', 'dsn_parameter'],
    ['postgres://u@h/d?__proto__=x', 'dsn_parameter'],
  ])('is refused without being quoted: %s', (dsn, type) => {
    const problems = postgresKind.check(dsn);
    expect(problems[0]).toMatchObject({ loc: ['body', 'dsn'], type });
    expect(JSON.stringify(problems)).not.toMatch(/sec(ret)?\b|passwd|\/var\/run/);
  });

  it('is read in a time that grows with its length', () => {
    const started = performance.now();
    for (const part of ['a:', '@', '/', '?', '[', ':1', 'x@:'] as const)
      postgresKind.check(`postgres://${part.repeat(4_000 / part.length)}`);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
