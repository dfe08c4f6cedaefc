import { readSettings } from '../config/settings.js';
import { type BucketName, type Caller, chargesOf, findCharge, type Route, toCaller } from './charge.js';

const { rateLimits } = readSettings({});

const address = '203.0.113.7';
const grant = { id: 3, rateLimit: 7, graphIds: [], permissions: [] };
const principal = { userId: 1, username: 'li', isAdmin: true, mustChangePassword: false, tokenVersion: 1 };
const user = toCaller(principal);
const key = toCaller({ ...principal, apiKey: grant });

const open = (bucket?: BucketName | 'none'): Route => ({ bucket, isPublic: true });
const guarded = (bucket?: BucketName): Route => ({ bucket, isPublic: false });
const cost = (name: string, limit: number, subject: string) => ({ name, limit, subject });

describe('the cost of a request', () => {
  it.each<[title: string, route: Route, before: object | null, ofUser: object | null, ofKey: object | null]>([
    ['a public route', open(), cost('anonymous', 300, address), null, cost('api_key', 7, 'key:3')],
    ['a login', open('login'), cost('login', 10, address), null, cost('api_key', 7, 'key:3')],
    ['a registration', open('register'), cost('register', 5, address), null, cost('api_key', 7, 'key:3')],
    ['a change of password', guarded('password'), cost('password', 5, address), null, cost('api_key', 7, 'key:3')],
    ['a query', guarded('query'), null, cost('query', 30, 'user:1'), cost('api_key', 7, 'key:3')],
    ['a run', guarded('run'), null, cost('run', 30, 'user:1'), cost('api_key', 7, 'key:3')],
    ['any other route', guarded(), null, cost('user', 60, 'user:1'), cost('api_key', 7, 'key:3')],
    ['a route that counts nothing', open('none'), null, null, null],
  ])('%s: its address before the credentials, its caller after them', (_, route, ofAddress, ofUser, ofKey) => {
    const found = ([address, user, key] satisfies (string | Caller)[]).map(payer => findCharge(route, payer, rateLimits));
    expect(found).toEqual([ofAddress, ofUser, ofKey]);
  });

  it('counts by the settings', () => {
    const set = readSettings({ RATE_LIMIT_QUERY: '7' }).rateLimits;
    expect(findCharge(guarded('query'), user, set)).toEqual(cost('query', 7, 'user:1'));
  });
});

it('chargesOf names every limit of a user, and the one of a key', () => {
  expect(chargesOf(user, rateLimits)).toEqual([cost('query', 30, 'user:1'), cost('run', 30, 'user:1'), cost('user', 60, 'user:1')]);
  expect(chargesOf(key, rateLimits)).toEqual([cost('api_key', 7, 'key:3')]);
});
