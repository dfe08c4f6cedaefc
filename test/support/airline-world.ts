import { type KnownValue } from '../../src/graph-index/value-dictionary.js';
import { type PlanSchema } from '../../src/questions/planning/schema-paths.js';
import { cypherOver, edge, nodesOf, propertiesOf } from './question-world.js';

const label = (name: string, aliases: string[], displayProperty: string, properties: Parameters<typeof propertiesOf>[0]) => ({
  name,
  aliases,
  displayProperty,
  keyProperties: ['key'],
  properties: propertiesOf([['key', 'int'], [displayProperty, 'string'], ...properties]),
  rowCount: 9,
});

/** Airlines: names in both languages are mixed, as the owner of the graph has them. */
const schema: PlanSchema = {
  labels: [
    label('乘客', ['Passenger', '旅客'], '姓名', [['国籍', 'string', 'nationality'], ['入会日期', 'date', 'joined_on', 'joining date'], ['里程', 'int', 'miles']]),
    label('机场', ['Airport'], '机场名称', [['城市', 'string', 'city'], ['国家', 'string', 'country'], ['跑道数', 'int', 'runways', 'number of runways']]),
    label('Airline', ['航空公司', '航司', 'carrier'], 'airline name', [['country', 'string'], ['founding date', 'date', '成立日期']]),
    label('机型', ['Aircraft Type', 'Aircraft Model'], '机型名称', [['制造商', 'string', 'maker'], ['座位数', 'int', 'seats']]),
    label('Aircraft', ['飞机', 'plane'], 'tail number', [['delivery date', 'date', '交付日期'], ['service status', 'string', '服役状态'], ['book value', 'decimal(12,1)']]),
    label('飞行员', ['Pilot'], '姓名', [['职级', 'string', 'rank'], ['国籍', 'string', 'nationality'], ['出生日期', 'date', 'birth date'], ['入职日期', 'date', 'hired_on', 'hire date'], ['月薪', 'decimal(12,2)', 'salary']]),
    label('Flight', ['航班'], 'flight number', [['flight date', 'date', '航班日期'], ['status', 'string', '状态'], ['delay minutes', 'int', '延误分钟', 'delay']]),
    label('Ticket', ['机票', '客票'], 'ticket number', [['price', 'decimal(12,2)', '票价'], ['cabin', 'string', '舱位']]),
  ],
  edges: [
    edge('DEPARTS_FROM', ['出发', '起飞', 'departs from'], 'Flight', '机场'),
    edge('OPERATES', ['运营'], 'Airline', 'Flight'),
    edge('OWNS', ['拥有'], 'Airline', 'Aircraft'),
    edge('OF_TYPE', ['属于机型'], 'Aircraft', '机型'),
    edge('USES', ['使用'], 'Flight', 'Aircraft'),
    edge('受雇于', ['WORKS_FOR', 'employed by', 'work for'], '飞行员', 'Airline'),
    edge('带教', ['MENTORS'], '飞行员', '飞行员'),
    edge('CAPTAINS', ['机长', 'captain'], '飞行员', 'Flight'),
    edge('CO_PILOTS', ['副驾驶', 'copilot'], '飞行员', 'Flight'),
    edge('CERTIFIED_ON', ['持有资质', 'qualified on'], '飞行员', '机型'),
    edge('购买', ['BOUGHT', 'booked'], '乘客', 'Ticket'),
    edge('FOR_FLIGHT', ['乘坐', 'flew on'], 'Ticket', 'Flight'),
  ],
  toOne: { outgoing: ['DEPARTS_FROM', 'OF_TYPE', 'USES', '受雇于', 'FOR_FLIGHT'], incoming: ['OPERATES', 'OWNS', '带教', 'CAPTAINS', 'CO_PILOTS', '购买'] },
}; // prettier-ignore
const names: [display: string, label: string][] = [['Delta', 'Airline'], ['Air France', 'Airline'], ['Lufthansa', 'Airline'], ['CZ105', 'Flight'], ['王伟', '飞行员'], ['李娜', '乘客'], ['空客A320', '机型']]; // prettier-ignore
const nodes = nodesOf(names, 'key');
const known: [label: string, property: string, ...values: string[]][] = [
  ['机场', '国家', '德国', '法国', 'Germany'],
  ['机场', '城市', '北京'],
  ['Airline', 'country', 'Germany', '德国', '中国'],
  ['机型', '制造商', '波音'],
  ['Aircraft', 'service status', '在役', 'in service', '已退役'],
  ['飞行员', '职级', '副驾驶', '机长'],
  ['飞行员', '国籍', '德国', '中国', 'Germany'],
  ['乘客', '国籍', '中国'],
  ['Flight', 'status', 'delayed', 'on time', 'cancelled'],
  ['Ticket', 'cabin', 'economy', 'business'],
];
const values: KnownValue[] = known.flatMap(([of, property, ...own]) => own.map(value => ({ label: of, property, value })));

export const airlines = { schema, nodes, values };

/** What is asked of the airlines, as Cypher text, or why it is not. */
export const askAirlines = (question: string): Promise<string> => cypherOver(question, airlines);
