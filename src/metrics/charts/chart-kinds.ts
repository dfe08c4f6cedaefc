export const chartKinds = ['line', 'bar', 'share'] as const;
export type ChartKind = (typeof chartKinds)[number];
