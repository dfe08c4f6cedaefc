// Prints after a run its twenty slowest suites and the total time, so that growth is noticed.

const shown = 20;

/** The seconds that `npm test` may take on two cores without other work. */
const budget = 360;

export default class BudgetReporter {
  suites = [];

  onTestResult(_test, { testFilePath, perfStats }) {
    this.suites.push({ file: testFilePath, seconds: perfStats.runtime / 1000 });
  }

  onRunComplete(_contexts, { startTime }) {
    if (this.suites.length <= shown) return;
    const sum = this.suites.reduce((total, { seconds }) => total + seconds, 0);
    const slowest = this.suites.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown);
    const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file.replace(`${process.cwd()}/`, '')}`);
    const took = (Date.now() - startTime) / 1000;
    process.stdout.write(
      `\nThe ${shown} slowest of ${this.suites.length} suites:\n${lines.join('\n')}\n${sum.toFixed(1).padStart(7)} s  all suites together, ` +
        `in ${took.toFixed(0)} s; npm test has ${budget} s on two quiet cores\n`,
    );
  }
}
