import { Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { routeOf } from '../http/server/route-of.js';
import { DatabaseLink } from '../database/database-link.js';

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/**
 * The counters of this process for Prometheus. The values of every label come from a closed list of the service (templates of routes, names
 * of buckets, pools and states) and are never an id, a name or a text of a user. So callers influence neither the number of series nor
 * their content.
 */
@Injectable()
export class Telemetry {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];

  private readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests, by the template of their route',
    labelNames: ['method', 'route', 'status'] as const,
    registers: this.registers,
  });
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of the headers to the end of the answer',
    labelNames: ['method', 'route'] as const,
    buckets: durationBuckets,
    registers: this.registers,
  });
  private readonly refusals = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests answered with 429, by the bucket that was full',
    labelNames: ['bucket'] as const,
    registers: this.registers,
  });
  private readonly work = {
    run: this.countEnds('ingestion_runs_total', 'Ingestion runs that this process ended or gave back, by how'),
    copy: this.countEnds('mirror_copies_total', 'Runs of copies into the mirror that this process ended or gave back, by how'),
    check: this.countEnds('watch_checks_total', 'Checks of watches that this process ended or gave back, by how'),
    start: this.countEnds('schedule_starts_total', 'Times of schedules that this process attended to, by what came of them'),
    delivery: this.countEnds('webhook_deliveries_total', 'Attempts to deliver messages of webhooks by this process, by what came of them'),
  };
  private readonly queries = new Counter({
    name: 'graph_queries_total',
    help: 'Answered graph queries, by kind and by where the answer came from',
    labelNames: ['kind', 'cache'] as const,
    registers: this.registers,
  });

  constructor(link: DatabaseLink) {
    const pools = new Gauge({
      name: 'database_pool_connections',
      help: 'Connections of each pool, and requests that wait for one',
      labelNames: ['pool', 'state'] as const,
      registers: this.registers,
      collect: () => {
        for (const { pool, idle, busy, waiting } of link.usage()) {
          pools.set({ pool, state: 'idle' }, idle);
          pools.set({ pool, state: 'busy' }, busy);
          pools.set({ pool, state: 'waiting' }, waiting);
        }
      },
    });
    this.watch('database_up', 'Whether the database answers: 1 or 0', () => Number(link.isUp));
  }

  /** Adds figures on the process itself: CPU, memory, descriptors, event loop, garbage collection. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Adds a gauge whose value is read whenever the metrics are scraped. */
  watch(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: this.registers, collect: () => gauge.set(read()) });
  }

  /** Adds a gauge with a value for each of several things, told apart by a label whose values come from a closed list. */
  watchEach(name: string, help: string, label: string, read: () => [string, number][]): void {
    const collect = () => {
      for (const [value, number] of read()) gauge.set({ [label]: value }, number);
    };
    const gauge: Gauge = new Gauge({ name, help, labelNames: [label], registers: this.registers, collect });
  }

  readonly middleware = (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    response.once('close', () => {
      const labels = { method: request.method, route: routeOf(request) ?? 'none' };
      this.requests.inc({ ...labels, status: response.statusCode });
      this.durations.observe(labels, (performance.now() - startedAt) / 1000);
    });
    next();
  };

  requestRefused(bucket: string): void {
    this.refusals.inc({ bucket });
  }

  /** Counts the end of a piece of background work. @param status a word of a closed list */
  workEnded(kind: keyof typeof this.work, status: string): void {
    this.work[kind].inc({ status });
  }

  queryAnswered(kind: 'question' | 'search' | 'cypher', cache: 'hit' | 'miss' | 'refresh'): void {
    this.queries.inc({ kind, cache });
  }

  private countEnds(name: string, help: string): Counter<'status'> {
    return new Counter({ name, help, labelNames: ['status'] as const, registers: this.registers });
  }

  /** Writes all metrics in Prometheus' text format. */
  async expose(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }
}
