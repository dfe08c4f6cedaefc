import { withoutCourtesies } from './courtesies.js';

const names = ['hello, dolly!', 'no, thank you', '你好,李焕英', '谢谢你'];
const source = {
  findByName: (text: string) => (names.includes(text) ? [{ id: 1, label: 'Film', by: 'display' as const }] : []),
};

it.each([
  ['Hi, how many customers are there?', 'how many customers are there?'],
  ['hello there! which customers are in 华东? Thanks!', 'which customers are in 华东? '],
  ['Good morning. Who wrote Heat? thank you very much in advance', 'Who wrote Heat? '],
  ['你好，华东的客户有哪些？', '华东的客户有哪些？'],
  ['您好！麻烦您，请问有多少客户？谢谢你！', '请问有多少客户？'],
  ['麻烦帮我查一下华东的客户，多谢了', '帮我查一下华东的客户，'],
  ['华东的客户有哪些谢谢', '华东的客户有哪些'],
])('%s begs and thanks', (question, rest) => {
  expect(withoutCourtesies(question, source)).toBe(rest);
});

it.each([
  'Hello, Dolly! was directed by whom',
  'Who directed No, Thank You',
  '你好，李焕英的导演是谁',
  '谁唱了 谢谢你',
  'hidden movies',
  'hi',
  '谢谢',
  '麻烦最多的客户',
  '哪个员工最辛苦',
  '哪些客户表示感谢',
  'Which films thank you for nothing',
])('%s stays as it is', question => {
  expect(withoutCourtesies(question, source)).toBe(question);
});
