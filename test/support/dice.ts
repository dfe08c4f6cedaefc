import { mulberry32 } from './seeded.js';

/** Random choices that depend only on the seed. */
export class Dice {
  private readonly random: () => number;
  constructor(seed: number) {
    this.random = mulberry32(seed);
  }
  below = (count: number): number => Math.floor(this.random() * count);
  between = (least: number, most: number): number => least + this.below(most - least + 1);
  chance = (share: number): boolean => this.random() < share;
  of = <T>(items: readonly T[]): T => items[this.below(items.length)]!;
  many = <T>(most: number, one: () => T): T[] => Array.from({ length: this.below(most + 1) }, one);
}
