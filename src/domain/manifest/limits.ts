/** Fields shared by both authored forms of a manifest, and readers of their shared parts. */
import { type Catalog, resolveUniverseEntry } from '../catalog/catalog.ts';
import { readCondition } from '../conditions/index.ts';
import { describeField, describeValue, type FieldSchema, type Fields, type Problem } from '../values/field.ts';
import {
  EXECUTION_ALGORITHMS,
  type ExternalStrategy,
  KILL_SWITCH_ACTIONS,
  type Manifest,
  type ManifestCondition,
  type UniverseEntry,
  URGENCIES,
} from './manifest.ts';

/** Manifest schema version that this engine writes and hashes. */
export const MANIFEST_SCHEMA_VERSION = '1';

/** Maximum instruments, and conditions per side, of a manifest. A tick evaluates their product. */
export const MAX_UNIVERSE = 50;
export const MAX_CONDITIONS = 32;

/** Members of a canonical manifest that are plain fields. */
export type PlainField = Exclude<keyof Manifest, 'schemaVersion' | 'universe' | 'timeframe' | 'entry' | 'exit' | 'strategy'>;

/** Plain fields by canonical name. Each form has its own spelling and place for them. */
const MANIFEST_FIELDS: Readonly<Record<PlainField, FieldSchema>> = {
  name: { type: 'string', minLength: 1, maxLength: 120, description: 'Name of the strategy.' },
  description: { type: 'string', minLength: 0, maxLength: 2_000, default: '', description: 'Purpose of the strategy.' },
  maxCapitalUsd: { type: 'decimal', min: '0', max: '1000000000000', description: 'Most capital that may be allocated, in US dollars.' },
  maxTradeNotionalUsd: { type: 'decimal', min: '0', max: '1000000000000', description: 'Largest notional of one trade, in US dollars.' },
  maxLeverage: {
    type: 'decimal',
    min: '0',
    max: '100',
    default: '1',
    description:
      'Highest ratio of exposure to capital. A perpetual binds its cost divided by it as isolated margin; cross margin is not supported.',
  },
  stopLossPct: { type: 'number', min: 0, max: 100, description: 'Loss of a position, in percent of its entry, at which it is closed.' },
  takeProfitPct: {
    type: 'number',
    min: 0,
    max: 10_000,
    description: 'Gain of a position, in percent of its entry, at which it is closed.',
  },
  maxDailyDrawdownPct: {
    type: 'number',
    min: 0,
    max: 100,
    description: 'Loss of a day, in percent, at which the circuit breaker pauses the agent.',
  },
  maxOpenPositions: { type: 'integer', min: 0, max: 1_000, description: 'Most positions that may be open at once.' },
  killSwitchAction: {
    type: 'choice',
    choices: KILL_SWITCH_ACTIONS,
    default: 'cancel_all_and_halt',
    description: 'Action of the kill switch.',
  },
  algorithm: {
    type: 'choice',
    choices: EXECUTION_ALGORITHMS,
    default: 'smart_order_routing_maker_first',
    description: 'Execution algorithm.',
  },
  urgency: { type: 'choice', choices: URGENCIES, default: 'medium', description: 'Urgency of execution.' },
  maxSlippageBps: { type: 'number', min: 0, max: 10_000, description: 'Slippage budget of one trade in basis points.' },
};

/** Fields of an external strategy. The payload form calls the first one `strategy`, the declarative form `strategy.kind`. */
export const EXTERNAL_FIELDS = {
  kind: {
    type: 'choice',
    choices: ['external'],
    optional: true,
    description: 'With `external` the strategy is code outside of the service, which sends proposals. The manifest is its mandate.',
  },
  release: {
    type: 'string',
    minLength: 1,
    maxLength: 120,
    optional: true,
    description: 'Version of the outside code. It is hashed: other code is another release, and a new manifest version.',
  },
} as const satisfies Fields;

/** Returns the external strategy of two fields, or undefined if the manifest has none. Both fields are required together. */
export function readExternal(
  kind: unknown,
  release: unknown,
  path: (field: 'kind' | 'release') => string,
  problems: Problem[],
): ExternalStrategy | undefined {
  if (kind === undefined && release === undefined) return undefined;
  const missing = kind === undefined ? 'kind' : release === undefined ? 'release' : null;
  if (missing !== null) {
    problems.push({ path: path(missing), problem: 'is missing', allowed: describeField(EXTERNAL_FIELDS[missing]) });
    return undefined;
  }
  return { kind: 'external', release: release as string };
}

/** Returns plain fields under the names of a form. */
export function fieldsAs(names: Readonly<Record<string, PlainField>>): Fields {
  return Object.fromEntries(Object.entries(names).map(([name, field]) => [name, MANIFEST_FIELDS[field]]));
}

/** Reads a universe. The order is kept, because it is the order of evaluation. An empty universe fails the draft gate later. */
export function readUniverse(value: unknown, catalog: Catalog, path: string, problems: Problem[]): UniverseEntry[] {
  const entries: UniverseEntry[] = [];
  for (const [index, item] of readList(value, MAX_UNIVERSE, 'instruments', path, problems).entries()) {
    const at = `${path}[${index}]`;
    if (typeof item !== 'string') {
      problems.push({
        path: at,
        problem: `must be a text, got ${describeValue(item)}`,
        allowed: 'a symbol or <venue>:<pair>:<instrument kind>',
      });
      continue;
    }
    const resolved = resolveUniverseEntry(item, catalog);
    if (!resolved.ok) problems.push({ path: at, problem: resolved.problem, allowed: resolved.allowed });
    else if (entries.some((entry) => entry.key === resolved.entry.key)) {
      problems.push({ path: at, problem: `${resolved.entry.key} is listed twice`, allowed: 'every instrument once' });
    } else entries.push(resolved.entry);
  }
  return entries;
}

/** Reads a list of condition objects of one side. */
export function readConditions(
  value: unknown,
  side: 'entry' | 'exit',
  timeframe: string | null,
  path: string,
  problems: Problem[],
): ManifestCondition[] {
  const conditions: ManifestCondition[] = [];
  for (const [index, item] of readList(value, MAX_CONDITIONS, 'conditions', path, problems).entries()) {
    const condition = readCondition(item, side, timeframe, `${path}[${index}]`, problems);
    if (condition !== null) conditions.push(condition);
  }
  return conditions;
}

/** Reads a list of at most `most` items. For anything else adds a problem and returns an empty list. */
export function readList(value: unknown, most: number, what: string, path: string, problems: Problem[]): readonly unknown[] {
  if (Array.isArray(value) && value.length <= most) return value;
  const problem = Array.isArray(value)
    ? `holds ${value.length} ${what}`
    : value === undefined
      ? 'is missing'
      : `must be a list, got ${describeValue(value)}`;
  problems.push({ path, problem, allowed: `a list of at most ${most} ${what}` });
  return [];
}

/** Returns the canonical manifest of read parts: every member present, in a fixed order, with `strategy` only for an external one. */
export function canonicalManifest(
  plain: Readonly<Record<PlainField, unknown>>,
  parts: Pick<Manifest, 'universe' | 'timeframe' | 'entry' | 'exit' | 'strategy'>,
): Manifest {
  return {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    name: plain.name as string,
    description: plain.description as string,
    universe: parts.universe,
    timeframe: parts.timeframe,
    entry: parts.entry,
    exit: parts.exit,
    maxCapitalUsd: plain.maxCapitalUsd as string,
    maxTradeNotionalUsd: plain.maxTradeNotionalUsd as string,
    maxLeverage: plain.maxLeverage as string,
    stopLossPct: plain.stopLossPct as number,
    takeProfitPct: plain.takeProfitPct as number,
    maxDailyDrawdownPct: plain.maxDailyDrawdownPct as number,
    maxOpenPositions: plain.maxOpenPositions as number,
    killSwitchAction: plain.killSwitchAction as Manifest['killSwitchAction'],
    algorithm: plain.algorithm as Manifest['algorithm'],
    urgency: plain.urgency as Manifest['urgency'],
    maxSlippageBps: plain.maxSlippageBps as number,
    ...(parts.strategy === undefined ? {} : { strategy: parts.strategy }),
  };
}
