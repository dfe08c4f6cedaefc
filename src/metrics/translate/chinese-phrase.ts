/** Chinese translations of the phrases that name refused constructs. Names of SQL have no translation and stay as they are. */
const phrases: [english: RegExp, chinese: string][] = [
  [/^the type of the column '(.*)'$/, '列“$1”的类型'],
  [/^a constant of this form$/, '这种形式的常量'],
  [/^a constant time of this form$/, '这种形式的时间常量'],
  [/^a time without end, or no time$/, '没有终点的时间或无效的时间'],
  [/^a time before Christ$/, '公元前的时间'],
  [/^the number (.*)$/, '数字 $1'],
  [/^(\S+) with (\d+) digits$/, '结果有 $2 位数字的 $1'],
  [/^a search in a value that is not text$/, '在非文本中的查找'],
  [/^the order of texts \((.*)\), which depends on the database$/, '文本的先后（$1），它因数据库而异'],
  [/^a moment beside a local time$/, '时刻与本地时间的比较'],
  [/^a local time in another time zone$/, '本地时间到另一时区的换算'],
  [/^a comparison of (\w+) with (\w+)$/, '$1 与 $2 的比较'],
  [/^NULL in a list of IN$/, 'IN 列表中的 NULL'],
  [/^IN with values of several types$/, '含多种类型的 IN 列表'],
  [/^CASE with results of several types$/, '结果有多种类型的 CASE'],
  [/^LIKE with this pattern$/, '这种模式的 LIKE'],
  [/^a condition that is not a boolean$/, '不是布尔值的条件'],
  [/^a cast to (.*) of a length$/, '到限定长度的 $1 的类型转换'],
  [/^a cast of (\w+) to (\w+)$/, '从 $1 到 $2 的类型转换'],
  [/^a value of type (.*)$/, '类型为 $1 的值'],
  [/^a column of floating-point numbers$/, '浮点数列'],
  [/^floating-point numbers$/, '浮点数'],
  [/^(\S+) of this form$/, '这种形式的 $1'],
  [/^EXTRACT of (.*)$/, 'EXTRACT 的 $1'],
  [/^an aggregate of this form$/, '这种形式的聚合'],
  [/^a sum of numbers of (\d+) digits$/, '$1 位数字的数之和'],
  [/^(\w+) of floating-point numbers$/, '浮点数的 $1'],
  [/^(\w+) of a value that is not a number$/, '非数字的 $1'],
  [/^(\w+) of numbers of (\d+) decimals$/, '有 $2 位小数的数的 $1'],
  [/^(\w+) of several types$/, '含多种类型的 $1'],
  [/^a cast to a number of fewer digits$/, '到位数更少的数字的类型转换'],
  [/^the clock$/, '当前时间'],
  [/^a tuple$/, '元组'],
  [/^an array$/, '数组'],
];

export function chinesePhrase(english: string): string {
  const found = phrases.find(([pattern]) => pattern.test(english));
  return found ? english.replace(...found) : english;
}
