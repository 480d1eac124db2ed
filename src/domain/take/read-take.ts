/** Reads the fields of a Take into its canonical form, or returns all problems. */
import { type Catalog, type CatalogEntry, isTradableAt, resolveUniverseEntry } from '../catalog/catalog.ts';
import { conditionDefinition, readCondition } from '../conditions/index.ts';
import { describeValue, type Fields, isObject, type Problem, readFields, refuseUnknown } from '../values/field.ts';
import { MAX_CONDITIONS } from '../manifest/limits.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import { DAY_MS, type EpochMs, isoTime } from '../values/time.ts';
import { entryContradiction, exitAtOnce } from './contradictions.ts';
import { shownCondition } from './thesis-phrases.ts';
import { conditionOfTarget, MAX_ALLOCATION_USD, MAX_TAKE_LIFE_MS, MIN_ALLOCATION_USD, type Take, type TakeOrigin } from './take.ts';

export const DEFAULT_ALLOCATION_USD = '100';
export const DEFAULT_SLIPPAGE_BPS = 50;
export const DEFAULT_LIFE_MS = 30 * DAY_MS;
export const DEFAULT_TIMEFRAME = '1h';

/** Plain fields of the field form. */
const TAKE_FIELDS: Fields = {
  symbol: { type: 'string', minLength: 1, maxLength: 80, description: 'A symbol of the catalog or <venue>:<pair>:<instrument kind>.' },
  allocationUsd: {
    type: 'decimal',
    min: MIN_ALLOCATION_USD,
    max: MAX_ALLOCATION_USD,
    default: DEFAULT_ALLOCATION_USD,
    description: 'What the Take may put to work in one trade, in US dollars.',
  },
  maxSlippageBps: {
    type: 'number',
    min: 0,
    max: 10_000,
    default: DEFAULT_SLIPPAGE_BPS,
    description: 'Slippage budget of the trade in basis points.',
  },
  timeframe: { type: 'timeframe', optional: true, description: 'Bars of indicators that name none of their own; 1h where it is missing.' },
};

export type ReadTake = { readonly ok: true; readonly take: Take; readonly assumed: readonly string[] } | RefusedTake;
interface RefusedTake {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

/** Parts of a Take after reading its words or fields. Conditions are still as authored. */
interface AuthoredTake {
  readonly symbol: string;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly allocationUsd: string;
  readonly maxSlippageBps: number;
  readonly timeframe: string;
  readonly expiresAt: EpochMs;
}

/** Facts that a Take is checked against. */
export interface TakeWorld {
  readonly catalog: Catalog;
  readonly now: EpochMs;
  readonly origin?: TakeOrigin;
}

function readSide(list: readonly unknown[], side: 'entry' | 'exit', entry: CatalogEntry, timeframe: string, problems: Problem[]) {
  const conditions: ManifestCondition[] = [];
  if (list.length > MAX_CONDITIONS) {
    problems.push({ path: `$.conditions.${side}`, problem: `has ${list.length} conditions`, allowed: `at most ${MAX_CONDITIONS}` });
    return conditions;
  }
  for (const [index, item] of list.entries()) {
    const path = `$.conditions.${side}[${index}]`;
    const condition = readCondition(item, side, timeframe, path, problems);
    if (condition === null) continue;
    const kinds = conditionDefinition(condition.type)?.kinds ?? null;
    if (kinds !== null && !kinds.includes(entry.kind)) {
      problems.push({
        path,
        problem: `${condition.type} never passes for ${entry.instrument}, which is of kind ${entry.kind}`,
        allowed: kinds.join(', '),
      });
    } else if (!conditions.some((other) => JSON.stringify(other) === JSON.stringify(condition))) conditions.push(condition);
  }
  return conditions;
}

/** Checks the parts against the catalog, the registry of conditions and each other. */
export function buildTake(authored: AuthoredTake, world: TakeWorld): ReadTake {
  const problems: Problem[] = [];
  const resolved = resolveUniverseEntry(authored.symbol, world.catalog);
  if (!resolved.ok) return { ok: false, problems: [{ path: '$.symbol', problem: resolved.problem, allowed: resolved.allowed }] };
  const entry = world.catalog.byKey(resolved.entry.key) as CatalogEntry;
  if (entry.token !== null && !isTradableAt(entry.token, world.now)) {
    problems.push({ path: '$.symbol', problem: `${entry.instrument} is not traded at present`, allowed: 'a token within its validity' });
  }
  const enter = readSide(authored.entry, 'entry', entry, authored.timeframe, problems);
  const leave = readSide(authored.exit, 'exit', entry, authored.timeframe, problems);
  if (authored.entry.length === 0) {
    problems.push({
      path: '$.conditions.entry',
      problem: 'no entry condition and no target: nothing would trigger it',
      allowed: 'at least one',
    });
  }
  const conflict = problems.length > 0 ? null : (entryContradiction(enter) ?? exitAtOnce(enter, leave));
  if (conflict !== null) problems.push({ path: '$.conditions', problem: conflict, allowed: 'conditions that can pass together' });
  if (!(authored.expiresAt > world.now) || authored.expiresAt > world.now + MAX_TAKE_LIFE_MS) {
    problems.push({
      path: '$.expiresAt',
      problem: `${Number.isFinite(authored.expiresAt) ? isoTime(authored.expiresAt) : 'the time'} is not within the life of a Take`,
      allowed: `later than ${isoTime(world.now)} and at most 365 days ahead`,
    });
  }
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    assumed: [],
    take: {
      schemaVersion: '1',
      origin: world.origin ?? 'thesis',
      asset: resolved.entry,
      timeframe: authored.timeframe,
      entry: enter,
      exit: leave,
      allocationUsd: authored.allocationUsd,
      maxSlippageBps: authored.maxSlippageBps,
      expiresAt: authored.expiresAt,
    },
  };
}

const DECIMAL = /^-?\d{1,13}(\.\d{1,12})?$/;

/** Reads the target as an entry condition. A price must be positive, a percentage within the range of the conditions. */
function readTarget(value: unknown, problems: Problem[]): ManifestCondition | null {
  const allowed = '{ "kind": "price" | "premium_pct" | "gap_to_mark_pct", "direction": "below" | "above", "value": "<decimal>" }';
  if (!isObject(value)) {
    problems.push({ path: '$.target', problem: `must be an object, got ${describeValue(value)}`, allowed });
    return null;
  }
  refuseUnknown(value, ['kind', 'direction', 'value'], '$.target', problems);
  const { kind, direction, value: number } = value;
  const text = typeof number === 'number' && Number.isFinite(number) ? String(number) : number;
  if (
    (kind === 'price' || kind === 'premium_pct' || kind === 'gap_to_mark_pct') &&
    (direction === 'below' || direction === 'above') &&
    typeof text === 'string' &&
    DECIMAL.test(text) &&
    (kind !== 'price' || Number(text) > 0)
  ) {
    return conditionOfTarget({ kind, direction, value: text });
  }
  problems.push({ path: '$.target', problem: `is not a target: ${JSON.stringify(value).slice(0, 120)}`, allowed });
  return null;
}

function readExpiry(value: unknown, now: EpochMs, problems: Problem[]): { at: EpochMs; given: boolean } {
  if (value === undefined || value === null) return { at: now + DEFAULT_LIFE_MS, given: false };
  const at = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) {
    problems.push({
      path: '$.expiresAt',
      problem: `must be a time in UTC, got ${describeValue(value)}`,
      allowed: 'such as 2026-12-01T00:00:00Z',
    });
  }
  return { at, given: true };
}

const LISTS = ['target', 'conditions', 'expiresAt'] as const;

function conditionList(value: unknown, side: 'entry' | 'exit', problems: Problem[]): readonly unknown[] {
  const list = isObject(value) && Object.hasOwn(value, side) ? value[side] : [];
  if (Array.isArray(list)) return list;
  problems.push({
    path: `$.conditions.${side}`,
    problem: `must be a list, got ${describeValue(list)}`,
    allowed: 'a list of condition objects',
  });
  return [];
}

/**
 * Reads the field form: `symbol`, `target` and `conditions` (`{ "entry": [], "exit": [] }`, at least one of them), `allocationUsd`,
 * `maxSlippageBps`, `timeframe`, `expiresAt`. `assumed` names every default used.
 */
export function readTakeFields(value: unknown, world: TakeWorld): ReadTake {
  const problems: Problem[] = [];
  if (!isObject(value))
    return { ok: false, problems: [{ path: '$', problem: `a Take is an object, got ${describeValue(value)}`, allowed: 'its fields' }] };
  const fields = readFields(value, TAKE_FIELDS, '$', problems, DEFAULT_TIMEFRAME, LISTS);
  const expiry = readExpiry(value['expiresAt'], world.now, problems);
  const target = value['target'] === undefined || value['target'] === null ? null : readTarget(value['target'], problems);
  const conditions = value['conditions'];
  if (conditions !== undefined && !isObject(conditions)) {
    problems.push({
      path: '$.conditions',
      problem: `must be an object, got ${describeValue(conditions)}`,
      allowed: '{ "entry": […], "exit": […] }',
    });
  } else if (isObject(conditions)) refuseUnknown(conditions, ['entry', 'exit'], '$.conditions', problems);
  const entry = conditionList(conditions, 'entry', problems);
  const exit = conditionList(conditions, 'exit', problems);
  if (problems.length > 0) return { ok: false, problems };
  const built = buildTake(
    {
      symbol: fields['symbol'] as string,
      entry: target === null ? entry : [target, ...entry],
      exit,
      allocationUsd: fields['allocationUsd'] as string,
      maxSlippageBps: fields['maxSlippageBps'] as number,
      timeframe: fields['timeframe'] as string,
      expiresAt: expiry.at,
    },
    world,
  );
  if (!built.ok) return built;
  return { ...built, assumed: assumptions(value, built.take, expiry.given) };
}

/** Returns a sentence per default used. */
function assumptions(value: Record<string, unknown>, take: Take, expiryGiven: boolean): string[] {
  const assumed: string[] = [];
  if (value['allocationUsd'] === undefined) assumed.push(ASSUMED.allocation);
  if (value['maxSlippageBps'] === undefined) assumed.push(ASSUMED.slippage);
  if (!expiryGiven) assumed.push(ASSUMED.expiry(take.expiresAt));
  if (take.exit.length === 0) assumed.push(ASSUMED.noExit);
  return assumed;
}

/** Descriptions of the defaults, in both forms. */
export const ASSUMED = {
  allocation: `the allocation is ${DEFAULT_ALLOCATION_USD} USD`,
  slippage: `the slippage budget is ${DEFAULT_SLIPPAGE_BPS} basis points`,
  expiry: (at: EpochMs): string => `the Take expires 30 days from now, at ${isoTime(at)}`,
  noExit: 'there is no exit condition: the Take ends once it is filled, and the position stays until somebody closes it',
} as const;

/** Returns the reading of a Take without a thesis: each condition and limit by name, with nothing to confirm. */
export function readingOfFields(take: Take, assumed: readonly string[] = take.exit.length === 0 ? [ASSUMED.noExit] : []) {
  const sides = (['entry', 'exit'] as const).flatMap((side) =>
    take[side].map((condition, i) => ({ phrase: `${side}[${i}]`, as: `${side}: ${shownCondition(condition)}` })),
  );
  const understood = [
    { phrase: 'symbol', as: `asset ${take.asset.key}` },
    ...sides,
    { phrase: 'allocationUsd', as: `allocation of ${take.allocationUsd} USD` },
    { phrase: 'maxSlippageBps', as: `slippage budget of ${take.maxSlippageBps} basis points` },
  ];
  return { thesis: null, understood, assumed, notUnderstood: [], open: [] };
}
