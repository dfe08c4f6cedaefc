import fc from 'fast-check';
import { type PlanSchema } from '../src/questions/planning/schema-paths.js';
import { graphInMemory, plannedRows } from './support/planned-rows.js';
import { edge, namedLabel, planOver } from './support/question-world.js';

/** Each aircraft has one type, and the number of seats is a property of the type. */
const schema: PlanSchema = {
  labels: [
    namedLabel('Airline', ['航空公司'], []),
    namedLabel('Aircraft', ['飞机'], [['status', 'string']]),
    namedLabel('Model', ['机型'], [['座位数', 'int', 'seats']]),
  ],
  edges: [edge('OWNS', '拥有', 'Airline', 'Aircraft'), edge('OF_TYPE', '属于机型', 'Aircraft', 'Model')],
  toOne: { outgoing: ['OF_TYPE'], incoming: ['OWNS'] },
};
const airlines = ['Delta', 'Lufthansa'];
const values = ['in service', '在役'].map(value => ({ label: 'Aircraft', property: 'status', value }));

const fleet = fc.record({
  seats: fc.array(fc.constantFrom(100, 200, 300, null), { minLength: 3, maxLength: 3 }),
  aircraft: fc.array(fc.record({ owner: fc.nat(1), model: fc.nat(2), status: fc.constantFrom('in service', '在役', 'retired') }), {
    maxLength: 6,
  }),
});

it('weighs a property of a type by each of the things that the question names', async () => {
  await fc.assert(
    fc.asyncProperty(fleet, async ({ seats, aircraft }) => {
      const nodes = [
        ...airlines.map(name => ({ label: 'Airline', properties: { name } })),
        ...seats.map((own, i) => ({ label: 'Model', properties: { name: `M${i}`, 座位数: own } })),
        ...aircraft.map(({ status }, i) => ({ label: 'Aircraft', properties: { name: `A${i}`, status } })),
      ].map((node, id) => ({ id, ...node, properties: { number: id, ...node.properties } }));
      const first = airlines.length + seats.length;
      const edges = aircraft.flatMap(({ owner, model }, i): [string, number, number][] => [
        ['OWNS', owner, first + i],
        ['OF_TYPE', first + i, airlines.length + model],
      ]);
      const graph = graphInMemory(schema, nodes, edges);
      const known = new Map(
        nodes.map(node => [node.id, { ...node, labels: [node.label], key: String(node.id), display: node.properties.name }]),
      );
      const seatsOf = (isMeant: (own: (typeof aircraft)[number]) => boolean): number[] =>
        aircraft.filter(isMeant).flatMap(({ model }) => seats[model] ?? []);
      const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
      const mean = (numbers: number[]): number | null => (numbers.length === 0 ? null : sum(numbers) / numbers.length);
      const ofDelta = seatsOf(({ owner }) => owner === 0);
      const asked: [question: string, meaning: number | null][] = [
        ['total seats of the aircraft of Delta', sum(ofDelta)],
        ['Delta的飞机的总座位数', sum(ofDelta)],
        ['average seats of the aircraft of Delta', mean(ofDelta)],
        ['average seats of aircraft in service', mean(seatsOf(({ status }) => status === 'in service'))],
        ['在役飞机的平均座位数', mean(seatsOf(({ status }) => status === '在役'))],
      ];
      for (const [question, meaning] of asked) {
        const plan = await planOver(question, { schema, nodes: known, values });
        if (typeof plan === 'string') throw new Error(`${question}: ${plan}`);
        const value = plannedRows(plan, graph)[0]?.[0] as bigint | number | null;
        expect([question, value === null ? null : Number(value)]).toEqual([question, meaning]);
      }
    }),
    { numRuns: 25 },
  );
});
