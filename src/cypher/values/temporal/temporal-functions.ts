export const temporalFunctions: Readonly<
  Record<string, { name: string; least: number; most: number; call(args: readonly unknown[], now: unknown): null }>
> = {};
