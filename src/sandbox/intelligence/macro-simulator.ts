/** Simulator of FRED on loopback: observations with vintages and the release calendar of a seeded economy. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { createHttpSimulator, type HttpSimulator, type SimulatorReply } from '../reference/http-simulator.ts';
import type { SeededMacro } from './seeded-macro.ts';

const PER_MINUTE = 120;

export interface MacroSimulatorOptions {
  readonly macro: SeededMacro;
  readonly clock: Clock;
  /** Accepted API key. */
  readonly apiKey: string;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

function refusal(code: number, message: string): SimulatorReply {
  return { status: code, body: { error_code: code, error_message: message } };
}

/** Opens the simulator: `/fred/series/observations` and `/fred/releases/dates`. Answers XML without `file_type=json`, like FRED. */
export async function createMacroSimulator(options: MacroSimulatorOptions): Promise<HttpSimulator> {
  const { macro, clock } = options;
  let asked: number[] = [];
  const dateText = (at: number): string => new Date(at).toISOString().slice(0, 10);

  function observations(query: URLSearchParams): SimulatorReply {
    const id = query.get('series_id') ?? '';
    if (macro.series(id) === null) return refusal(400, 'Bad Request.  The series does not exist.');
    const today = dateText(clock.now());
    const vintage = query.get('vintage_dates')?.split(',').at(-1) ?? query.get('realtime_end') ?? today;
    const start = query.get('observation_start') ?? '1776-07-04';
    const end = query.get('observation_end') ?? '9999-12-31';
    const [from, to, known] = [start, end, vintage].map((date) => Date.parse(`${date}T00:00:00Z`)) as [number, number, number];
    if ([from, to, known].some((at) => !Number.isFinite(at))) return refusal(400, 'Bad Request.  A date is not of the form YYYY-MM-DD.');
    const asOf = Math.min(clock.now(), known + DAY_MS - 1);
    const found = macro.observations(id, Math.max(from, asOf - 3_650 * DAY_MS), Math.min(to, asOf), asOf);
    const list = found.map(({ date, value }) => ({ realtime_start: vintage, realtime_end: vintage, date, value }));
    if (query.get('sort_order') === 'desc') list.reverse();
    const limit = Number(query.get('limit') ?? 100_000);
    return {
      status: 200,
      body: {
        realtime_start: vintage,
        realtime_end: vintage,
        observation_start: start,
        observation_end: end,
        units: query.get('units') ?? 'lin',
        output_type: 1,
        file_type: 'json',
        order_by: 'observation_date',
        sort_order: query.get('sort_order') ?? 'asc',
        count: list.length,
        offset: 0,
        limit,
        observations: list.slice(0, limit),
      },
    };
  }

  function releases(query: URLSearchParams): SimulatorReply {
    const today = dateText(clock.now());
    const start = query.get('realtime_start') ?? today;
    const asked = query.get('realtime_end') ?? '9999-12-31';
    const future = query.get('include_release_dates_with_no_data') === 'true';
    const end = future || asked < today ? asked : today;
    const [from, to] = [start, end].map((date) => Date.parse(`${date}T00:00:00Z`)) as [number, number];
    const found = macro.releases(from, Math.min(to, clock.now() + 400 * DAY_MS));
    const offset = Number(query.get('offset') ?? 0);
    const limit = Number(query.get('limit') ?? 1000);
    return {
      status: 200,
      body: {
        realtime_start: start,
        realtime_end: asked,
        order_by: 'release_date',
        sort_order: 'asc',
        count: found.length,
        offset,
        limit,
        release_dates: found.slice(offset, offset + limit).map(({ id, name, date }) => ({ release_id: id, release_name: name, date })),
      },
    };
  }

  return createHttpSimulator({
    clock,
    faults: options.faults ?? createFaultSwitch(),
    port: options.port,
    reply: ({ path, query }) => {
      const now = clock.now();
      asked = [...asked.filter((at) => at > now - MINUTE_MS), now];
      if (asked.length > PER_MINUTE) return refusal(429, 'Too Many Requests.  Exceeded Rate Limit');
      if (query.get('file_type') !== 'json') return { status: 200, body: '<?xml version="1.0" encoding="utf-8" ?><observations/>' };
      if (query.get('api_key') !== options.apiKey) return refusal(400, 'Bad Request.  The value for variable api_key is not registered.');
      if (path === '/fred/series/observations') return observations(query);
      if (path === '/fred/releases/dates') return releases(query);
      return refusal(404, 'Not Found');
    },
  });
}
