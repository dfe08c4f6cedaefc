import { type Client, startTestApp, type TestApp } from './support/app.js';
import { ingest, upload } from './support/ingestion.js';
import { ModelServer, type Reply } from './support/model-server.js';
import { everyNth, itLong } from './support/tier.js';

const mapping = `version: 1
nodes:
  - {id: c, label: 客户, aliases: [customer], table: customers, key: [id], display: name, columns: [{column: id, type: int}, {column: name}, {column: city}, {column: phone, sensitive: true}]}
`;
const line = (text: string, rows: number[]) => JSON.stringify({ text, rows });
const proposal = (cypher: string | null, reading = 'Customers by city.') => JSON.stringify({ cypher, reading });
const understood = '有多少个客户？';
const riddle = 'In which towns do folks dwell?';
const byTown = 'MATCH (c:`客户`) RETURN c.city AS town, count(*) AS n ORDER BY town';

describe('a language model', () => {
  let model: ModelServer;
  let test: TestApp;
  let admin: Client;
  let graphId: number;
  let logged = '';
  const isPlan = (messages: { content: string }[]) => messages[0]!.content.includes('openCypher');

  beforeAll(async () => {
    model = await ModelServer.start();
    const environment = {
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'scripted',
      LLM_API_KEY: 'sk-of-the-test',
      LLM_TIMEOUT_MS: '700',
      LOG_LEVEL: 'info',
    };
    test = await startTestApp(environment, { logTo: { write: text => void (logged += text) } });
    admin = test.admin;
    await upload(test, 'customers', 'id,name,city,phone\n1,Alfreds,Berlin,030-11\n2,Bolido,Madrid,91-22\n3,Chop,Berlin,030-33\n');
    ({ graphId } = await ingest(test, mapping));
  });
  afterAll(async () => {
    await test?.close();
    await model?.stop();
  });
  beforeEach(() => {
    model.calls.length = 0;
    model.reply = () => 'nothing';
  });

  let nonce = 0;
  /** Asks a question that was not asked before, so that there is no stored answer. */
  const ask = async (question: string, more: object = {}, status = 200) => {
    const body = { question, limit: 1000 + nonce++, include: ['plan'], ...more };
    return (await admin.post(`/api/graphs/${graphId}/query`).send(body).expect(status)).body;
  };
  const answering = (wording: Reply, plan: Reply = proposal(byTown)) => {
    model.reply = ({ messages }) => (isPlan(messages) ? plan : wording);
  };

  it('words an answer; each sentence has its rows, and tokens are counted', async () => {
    answering([line('共有 3 个客户。', [1]), line('其中 9 个在柏林。', [1]), line('没有依据。', [])].join('\n'));
    const { answer, language_model, rows, citations, warnings } = await ask(understood);
    expect(answer).toEqual({ text: '共有 3 个客户。', mode: 'llm', language: 'zh', sentences: [{ text: '共有 3 个客户。', rows: [0] }] });
    expect(language_model).toEqual({ name: 'scripted', calls: 1, prompt_tokens: 40, completion_tokens: 7 });
    expect(rows).toEqual([[3]]);
    expect(citations).toHaveLength(3);
    expect(warnings).toEqual(['语言模型的 2 句话没有依据，已略去']);
    expect(model.calls[0]!.headers.authorization).toBe('Bearer sk-of-the-test');
  });

  it('is asked once for equal questions, and not by those who want none of it', async () => {
    answering(line('共有 3 个客户。', [1]));
    const limit = 900;
    const first = await ask(understood, { limit });
    const second = await ask(understood, { limit });
    expect([second.cache.status, second.answer, second.query_id]).toEqual(['hit', first.answer, first.query_id]);
    for (const mode of ['extractive', 'none']) {
      const { answer, language_model } = await ask(understood, { limit, answer: mode });
      expect([answer?.mode ?? null, language_model]).toEqual([mode === 'none' ? null : 'extractive', undefined]);
    }
    await admin.post(`/api/graphs/${graphId}/query`).send({ search: 'Alfreds' }).expect(200);
    await admin.post(`/api/graphs/${graphId}/query`).send({ cypher: 'MATCH (c:客户) RETURN c' }).expect(200);
    expect(model.calls).toHaveLength(1);
    const { body: later } = await admin.get(`/api/graphs/${graphId}/queries/${first.query_id}`).expect(200);
    expect(later.answer).toEqual(first.answer);
  });

  it('reads a question that was not understood; what it proposes is run, said, and worded', async () => {
    answering(line('Berlin has 2 customers.', [1]));
    const { answer, rows, plan, warnings, language_model } = await ask(riddle);
    expect(rows).toEqual([['Berlin', 2], ['Madrid', 1]]); // prettier-ignore
    expect(plan).toMatchObject({ kind: 'cypher', cypher: byTown, proposed_by: 'scripted' });
    expect(answer).toMatchObject({ text: 'Berlin has 2 customers.', mode: 'llm' });
    expect(warnings[0]).toContain('a language model proposed the query, so check plan.cypher: Customers by city.');
    expect(language_model).toMatchObject({ calls: 2, prompt_tokens: 80, completion_tokens: 14 });
    expect(JSON.stringify(model.calls[0]!.messages)).toContain('`city` string');
  });

  it('says that nothing was found without wording it', async () => {
    answering('never asked', proposal("MATCH (c:客户 {city: 'Paris'}) RETURN c"));
    const { answer, rows } = await ask(riddle);
    expect([rows, answer.text, answer.mode]).toEqual([[], 'Nothing was found.', 'extractive']);
  });

  it.each([
    ['writes', 'MATCH (c:客户) DELETE c'],
    ['a label that is not there', 'MATCH (c:Town) RETURN c'],
    ['a property that is not there', 'MATCH (c:客户) RETURN c.town'],
    ['a syntax error', 'MATCH (c:客户 RETURN c'],
    ['a procedure', 'CALL db.labels()'],
  ])('gets a proposal with %s back once, and is not followed', async (_, cypher) => {
    answering('never asked', proposal(cypher));
    const { plan, answer, language_model } = await ask(riddle);
    expect([plan.kind, answer.mode, language_model.calls]).toEqual(['search', 'extractive', 2]);
    expect(answer.text).toContain('cannot be answered');
    const [, second] = model.calls;
    expect(second!.messages.at(-1)!.content).toMatch(/cannot be used/);
  });

  it('may mend its proposal, or say that there is none', async () => {
    model.reply = ({ messages }) =>
      !isPlan(messages) ? line('Berlin has 2.', [1]) : proposal(messages.length > 2 ? byTown : 'MATCH (c:Town) RETURN c');
    expect((await ask(riddle)).rows).toHaveLength(2);
    answering('never asked', proposal(null));
    const { plan, answer } = await ask(riddle, { answer: 'llm' });
    expect([plan.kind, answer.mode]).toEqual(['search', 'extractive']);
  });

  it('is shown no sensitive property, neither its name nor its values', async () => {
    answering(line('There is Alfreds.', [1]), proposal('MATCH (c:客户) RETURN c.phone AS p'));
    const { rows } = await ask('列出客户');
    expect(JSON.stringify(rows)).toContain('030-11');
    const secret = await ask(riddle);
    expect(secret.rows).toHaveLength(3);
    expect([secret.answer, secret.warnings.at(-1)]).toEqual([null, expect.stringContaining('marked as sensitive')]);
    for (const cypher of ['MATCH (c:客户) RETURN [k IN keys(c) | c[k]] AS all', "MATCH (c:客户) RETURN c/**/['ph' + 'one'] AS p"]) {
      answering('never asked', proposal(cypher));
      expect((await ask(riddle)).rows).toHaveLength(3);
    }
    // The error of this query contains a value, so the model must not see it.
    answering('never asked', proposal('MATCH (c:客户) RETURN date(c.phone)'));
    expect((await ask(riddle)).language_model.calls).toBe(2);
    answering(line('Alfreds.', [1]), proposal("MATCH (c:客户) WHERE c.city IN ['Berlin'] RETURN c.name AS name"));
    expect((await ask(riddle)).answer.text).toBe('Alfreds.');
    expect(JSON.stringify(model.calls.map(({ messages }) => messages))).not.toMatch(/phone`|030-11|91-22/);
  });

  /** Collects the events of an answer. `seen` is called for each event when it arrives. */
  async function stream(body: object, seen: (event: { type: string; data: any }) => void = () => undefined) {
    const response = await fetch(`${test.url}/api/graphs/${graphId}/query/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ limit: 1000 + nonce++, ...body }),
    });
    const events: { type: string; data: any }[] = [];
    let unread = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (unread + chunk).split('\n\n');
      unread = parts.pop()!;
      for (const [, type, data] of parts.map(part => /^event: (\w+)\ndata: (.*)$/s.exec(part)!)) {
        events.push({ type: type!, data: JSON.parse(data!) });
        seen(events.at(-1)!);
      }
    }
    return { status: response.status, type: response.headers.get('content-type'), events, rest: unread };
  }

  it('is heard sentence by sentence', async () => {
    let goOn!: () => void;
    model.lastLine = new Promise(resolve => (goOn = resolve));
    answering([line('共有 3 个客户。', [1]), line('其中 9 个在柏林。', [1]), line('没有更多。', [1])].join('\n'));
    // The model sends the last line only after the first sentence has arrived at the client.
    const { status, type, events } = await stream({ question: understood }, event => event.type === 'sentence' && goOn());
    expect([status, type]).toEqual([200, 'text/event-stream']);
    expect(events.map(event => event.type)).toEqual(['answer', 'sentence', 'sentence', 'end']);
    const [first, sentence, , end] = events.map(({ data }) => data);
    expect([first.rows, first.answer.mode]).toEqual([[[3]], 'extractive']);
    expect(sentence).toEqual({ text: '共有 3 个客户。', rows: [0] });
    expect([end.answer.text, end.language_model.prompt_tokens]).toEqual(['共有 3 个客户。没有更多。', 40]);
    expect(end.query_id).toEqual(expect.any(Number));
  });

  it('is heard at the end if it cannot be heard while it writes, as is a stored answer', async () => {
    model.streams = false;
    answering(line('共有 3 个客户。', [1]));
    const limit = 800;
    for (const types of [['answer', 'sentence', 'end'], ['end']]) {
      const { events } = await stream({ question: understood, limit });
      expect(events.map(event => event.type)).toEqual(types);
      expect(events.at(-1)!.data.answer.mode).toBe('llm');
    }
    model.streams = true;
  });

  it('does not hide an error of the request', async () => {
    const { status, rest, events } = await stream({ question: understood, answer: 'maybe' });
    expect([status, events, JSON.parse(rest).detail.errors[0].loc]).toEqual([422, [], ['body', 'answer']]);
    answering({ status: 500, body: '' });
    const failed = await stream({ question: understood, answer: 'llm' });
    expect(failed.events.map(event => event.type)).toEqual(['answer', 'error']);
    expect(failed.events[1]!.data).toMatchObject({ status: 500, body: { code: 'language_model_failed' } });
    answering(line('共有 3 个客户。', [1]));
    await ask(understood);
  });

  const faults: [string, Reply, string][] = [
    ['slow', null, 'timeout'],
    ['broken', { status: 500, body: 'oops' }, 'status'],
    ['talking nonsense', 'Well, about three I would say.', 'nonsense'],
    ['not a model', { status: 200, body: '<html>hello</html>' }, 'nonsense'],
    ['elsewhere', { status: 302, body: '' }, 'status'],
    ['too verbose', 'x'.repeat(70_000), 'nonsense'],
    ['endless', { status: 200, body: 'x'.repeat(5_000_000) }, 'nonsense'],
    ['failing politely', { status: 200, body: '{"error": {"message": "overloaded"}}' }, 'status'],
    [
      'cut off',
      { status: 200, body: JSON.stringify({ choices: [{ message: { content: line('共有 3 个客户。', [1]) }, finish_reason: 'length' }] }) },
      'nonsense',
    ],
  ];
  it.each(everyNth(faults, 3))('costs its sentence only if it is %s, unless the caller insists', async (_, reply, fault) => {
    answering(reply);
    const { answer, rows, warnings, query_id } = await ask(understood);
    expect([answer.mode, rows]).toEqual(['extractive', [[3]]]);
    // The answer is stored without the failed attempt of the model.
    const { body: stored } = await admin.get(`/api/graphs/${graphId}/queries/${query_id}`).expect(200);
    expect([stored.answer, stored.warnings]).toEqual([answer, []]);
    expect(warnings).toEqual([expect.stringContaining('未使用语言模型')]);
    const refused = await ask(understood, { answer: 'llm' }, 500);
    expect(refused).toMatchObject({ code: 'language_model_failed', context: { fault } });
    // A good answer comes between two faults, because after five failures in a row the calls to the model pause.
    answering(line('共有 3 个客户。', [1]));
    expect((await ask(understood)).answer.mode).toBe('llm');
  });

  it('gives no refusal that is stored if its second proposal takes too long', async () => {
    let plans = 0;
    model.reply = () => (plans++ % 2 === 0 ? proposal('MATCH (c:Town) RETURN c') : null);
    const { warnings, language_model } = await ask(riddle, { timeout_ms: 400, limit: 600 });
    expect([warnings.at(-1), language_model.calls]).toEqual(['The language model was not used: it did not answer in time', 1]);
    answering(line('Berlin has 2.', [1]));
    expect((await ask(riddle, { limit: 600 })).answer.text).toBe('Berlin has 2.');
  });

  itLong('is not blamed for a caller in a hurry, and left alone after five failures in a row', async () => {
    answering(null);
    for (let i = 0; i < 6; i++) await ask(understood, { timeout_ms: 300 });
    answering(line('共有 3 个客户。', [1]));
    expect((await ask(understood)).answer.mode).toBe('llm');
    answering({ status: 503, body: '' });
    for (let i = 0; i < 5; i++) await ask(understood);
    model.calls.length = 0;
    answering(line('共有 3 个客户。', [1]));
    const limit = 700;
    for (const status of ['miss', 'hit']) expect((await ask(understood, { limit })).cache.status).toBe(status);
    const { answer, warnings } = await ask(understood, { limit });
    expect([answer.mode, warnings, model.calls.length]).toEqual(['extractive', ['未使用语言模型：连续失败后暂停调用'], 0]);
  });

  it('has a key that no log and no answer shows', () => {
    expect(logged).toContain('The language model failed');
    expect(logged).not.toContain('sk-of-the-test');
  });

  it('is asked for in vain where there is none, or where no question is asked', async () => {
    const path = `/api/graphs/${graphId}/query`;
    const { body } = await admin.post(path).send({ search: 'a', answer: 'llm' }).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'answer'], type: 'no_effect' });
  });
});
