// Prints after a run of a whole tier its twenty slowest suites, its starts of the service and the total time, so that growth is noticed.
import { readdirSync } from 'node:fs';

const shown = 20;

export default class BudgetReporter {
  suites = [];

  /**
   * @param {{ command: string, seconds: number }} budget the command of the tier, and the seconds that it may take on two cores without
   * other work
   */
  constructor({ nonFlagArgs }, budget) {
    this.isWhole = nonFlagArgs.length === 0;
    this.budget = budget;
  }

  onTestResult(_test, { testFilePath, perfStats }) {
    this.suites.push({ file: testFilePath, seconds: perfStats.runtime / 1000 });
  }

  onRunComplete(_contexts, { startTime }) {
    if (!this.isWhole) return;
    const sum = this.suites.reduce((total, { seconds }) => total + seconds, 0);
    const slowest = this.suites.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown);
    const lines = slowest.map(({ file, seconds }) => `${inColumn(seconds)}  ${file.replace(`${process.cwd()}/`, '')}`);
    const took = (Date.now() - startTime) / 1000;
    const { command, seconds } = this.budget;
    process.stdout.write(
      `\nThe slowest of ${this.suites.length} suites:\n${lines.join('\n')}\n${inColumn(sum)}  all suites together, with ` +
        `${startsOfService()} starts of the service, in ${took.toFixed(0)} s; ${command} has ${seconds} s on two quiet cores\n`,
    );
  }
}

function inColumn(seconds) {
  return `${seconds.toFixed(1).padStart(7)} s`;
}

/** Each application that `startTestApp` boots makes a directory for its sockets. */
function startsOfService() {
  return readdirSync(process.env.TEST_DIRECTORY).filter(name => name.startsWith('app-')).length;
}
