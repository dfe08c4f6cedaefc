import { inOneTurn } from '../src/common/turns/one-turn.js';
import { MetricsService } from '../src/metrics/metrics.service.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

it('ends a request that holds up all others, and after the second lets its caller rest, and nobody else', async () => {
  const [slow, other] = [await test.asUser('slow'), await test.asUser('other')];
  const parse = (client: Client) => client.post('/api/metrics/parse').send({ formula: 'SUM(a)' });
  await parse(slow).expect(200);

  // No formula is known that takes so long, so `parse` is mocked with an endless loop.
  const spy = jest.spyOn(test.app.get(MetricsService), 'parse').mockImplementation(() => {
    return inOneTurn(() => {
      for (;;);
    });
  });
  for (let ended = 0; ended < 2;) {
    const { body, status } = await parse(slow);
    // `machine_busy` means that other work delayed the request, so it does not count against the caller.
    if (status === 503) expect(body.code).toBe('machine_busy');
    else expect([status, body]).toEqual([422, expect.objectContaining({ code: 'too_long_to_work_out', success: false })]);
    if (status === 422) ended++;
  }
  spy.mockRestore();

  const { body, headers } = await parse(slow).expect(503);
  expect(body.code).toBe('requests_rest');
  expect(body.detail).toContain(`rest for ${headers['retry-after']} s`);
  await slow.post('/api/graphs').send({ name: 'g' }).expect(503);
  await slow.get('/api/graphs').expect(200);
  await slow.delete('/api/graphs/999999').expect(404);
  await slow.post('/api/auth/logout').expect(204);
  await parse(other).expect(200);
});
