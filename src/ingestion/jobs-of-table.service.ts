import { Injectable, type OnModuleInit } from '@nestjs/common';
import { inLimitedTurns } from '../common/turns/pace.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { TableReaders } from '../warehouse/tables/table-readers.js';
import { WarehouseService } from '../warehouse/warehouse.service.js';
import { JobNotFoundError } from './ingestion.errors.js';
import { JobsRepository } from './jobs.repository.js';
import { MappingTurns } from './mapping-turns.js';
import { MappingError } from './mapping/problems.js';
import { guardedQuery, isAdmitted, judgeQueries } from './staging/guarded-query.js';
import { targetsOf } from './staging/target.js';

/** Finds the jobs that read a table of the mirror. */
@Injectable()
export class JobsOfTable implements OnModuleInit {
  constructor(
    private readonly readers: TableReaders,
    private readonly jobs: JobsRepository,
    private readonly access: GraphAccessService,
    private readonly warehouse: WarehouseService,
    private readonly turns: MappingTurns,
  ) {}

  onModuleInit(): void {
    this.readers.register('jobs', async (principal, table) => {
      const isVisible = await this.access.visibility(principal);
      const jobs = await this.jobs.listNaming(table);
      return jobs.map(({ id, graphId }) => ({
        id,
        isVisible: isVisible(graphId),
        reads: () => this.reads(principal.userId, id, table),
      }));
    });
  }

  /**
   * Whether a job reads the table. True if this release cannot read the job's mapping: `listNaming` has found that its text may name the
   * table.
   */
  private async reads(caller: number, id: number, table: string): Promise<boolean> {
    await loadSqlParser();
    const client = this.warehouse.mirror;
    try {
      const { mapping } = await this.turns.read(caller, (await this.jobs.get(id)).mapping_yaml);
      const sources = targetsOf(mapping).map(({ element }) => element.source);
      const queries = sources.filter(source => source.kind === 'query');
      await this.turns.run({ caller }, () => inLimitedTurns(judgeQueries(queries, client.schema)));
      return sources.some(source =>
        source.kind === 'table'
          ? client.place(source.table).table === table
          : isAdmitted(source, client.schema) && guardedQuery(source, client.schema).tables.includes(table),
      );
    } catch (error) {
      if (error instanceof MappingError) return true;
      if (error instanceof JobNotFoundError) return false;
      throw error;
    }
  }
}
