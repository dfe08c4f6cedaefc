import { Injectable, type OnModuleInit } from '@nestjs/common';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { UnsafeFilterClauseError } from '../sql-guard/sql-guard.errors.js';
import { TableReaders } from '../warehouse/tables/table-readers.js';
import { MetricTurns } from './metric-turns.js';
import { MetricsRepository } from './metrics.repository.js';
import { placesOf } from './plan/bound-sql.js';

/** Finds the metrics whose bindings read a table of the mirror. */
@Injectable()
export class MetricsOfTable implements OnModuleInit {
  constructor(
    private readonly readers: TableReaders,
    private readonly metrics: MetricsRepository,
    private readonly access: GraphAccessService,
    private readonly turns: MetricTurns,
  ) {}

  onModuleInit(): void {
    this.readers.register('metrics', async (principal, table) => {
      const isVisible = await this.access.visibility(principal);
      const metrics = await this.metrics.listNaming(table);
      return metrics.map(({ id, graphId }) => ({
        id,
        isVisible: isVisible(graphId),
        reads: () => this.reads(principal.userId, id, table),
      }));
    });
  }

  /**
   * Whether the binding of a metric reads a table. A query that this release refuses cannot be analysed. It counts as reading the table,
   * because its text contains the name.
   */
  private async reads(caller: number, id: number, table: string): Promise<boolean> {
    await loadSqlParser();
    const bound = (await this.metrics.find(id))?.binding?.bound;
    if (!bound) return false;
    try {
      const places = await this.turns.run({ caller }, () => [bound.fact, ...bound.joins].flatMap(placesOf));
      return places.some(place => place.table === table);
    } catch (error) {
      if (error instanceof UnsafeFilterClauseError) return true;
      throw error;
    }
  }
}
