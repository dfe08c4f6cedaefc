/** The time of the processor that this process has had, in milliseconds: other work on the machine does not count. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
