import { CredentialsError } from './retrieval.errors.js';
import { clockToleranceMs, sign, SignatureCheck } from './signature.js';

const key = 'a key of at least thirty-two bytes';
const call = { method: 'POST', path: '/v1/query', body: Buffer.from('{"graph_id":1}') };
const now = 1_790_000_000_000;

describe('signatures', () => {
  let clock = now;
  let check: SignatureCheck;
  beforeEach(() => {
    clock = now;
    check = new SignatureCheck(key, () => clock);
  });
  const verdict = (header: string | undefined, signed = call): string => {
    try {
      check.checkHead(header, signed)(signed.body);
      return 'accepted';
    } catch (error) {
      expect(error).toBeInstanceOf(CredentialsError);
      return (error as CredentialsError).text.en;
    }
  };

  it('are accepted once', () => {
    const header = sign(key, call, now);
    expect(verdict(header)).toBe('accepted');
    expect(verdict(header)).toContain('come before');
    expect(verdict(sign(key, call, now))).toBe('accepted');
  });

  it('are accepted once, however the clocks differ within the tolerance', () => {
    for (const apartMs of [-clockToleranceMs, 0, clockToleranceMs]) {
      clock = now;
      const header = sign(key, call, now + apartMs);
      expect(verdict(header)).toBe('accepted');
      for (let waitedMs = 0; waitedMs <= 3 * clockToleranceMs; waitedMs += clockToleranceMs / 2) {
        clock = now + waitedMs;
        verdict(sign(key, call, clock));
        expect(verdict(header)).not.toBe('accepted');
      }
    }
  });

  it('belong to one key, method, path, body and time', () => {
    const header = sign(key, call, now);
    expect(verdict(sign('another key of at least 32 bytes!', call, now))).toContain('RETRIEVAL_KEY');
    expect(verdict(header, { ...call, method: 'PUT' })).toContain('RETRIEVAL_KEY');
    expect(verdict(header, { ...call, path: '/v1/health' })).toContain('RETRIEVAL_KEY');
    expect(verdict(header.replace(/^t=\d+/, `t=${now + 1}`))).toContain('RETRIEVAL_KEY');
    const other = sign(key, { ...call, body: Buffer.from('{"graph_id":2}') }, now);
    expect(verdict(header.replace(/h=[^,]+/, /h=[^,]+/.exec(other)![0]))).toContain('RETRIEVAL_KEY');
    expect(verdict(header)).toBe('accepted');
    expect(verdict(other)).toContain('The body');
  });

  it('are refused before a body is read, unless they are good and new', () => {
    const header = sign(key, call, now);
    const head = { method: call.method, path: call.path };
    expect(() =>
      check.checkHead(
        header.replace(/.$/, last => (last === 'A' ? 'E' : 'A')),
        head,
      ),
    ).toThrow(CredentialsError);
    check.checkHead(header, head);
    expect(() => check.checkHead(header, head)).toThrow(CredentialsError);
  });

  it('count for a body that comes after their time', () => {
    const checkBody = check.checkHead(sign(key, call, now), { method: call.method, path: call.path });
    clock += 2 * clockToleranceMs;
    expect(() => checkBody(Buffer.from('{}'))).toThrow('The body');
    expect(() => checkBody(call.body)).not.toThrow();
  });

  it('say what is wrong with them', () => {
    expect(verdict(undefined)).toContain('set RETRIEVAL_KEY');
    expect(verdict('Bearer x')).toContain('cannot be read');
    expect(verdict(sign(key, call, now - clockToleranceMs - 1000))).toContain('differ by 61 s');
    expect(verdict(sign(key, call, now + clockToleranceMs + 1000))).toContain('differ by 61 s');
  });
});
