/** A sweep: variants of a manifest with other values of named thresholds, and the windows of a walk-forward. */

import type { Problem } from '../values/field.ts';
import { isObject } from '../values/field.ts';
import { type Manifest, manifestHash } from '../manifest/manifest.ts';
import { renderPayload } from '../manifest/payload-form.ts';
import { readManifest } from '../manifest/reader.ts';
import { quantityAt } from '../values/quantity.ts';
import type { EpochMs } from '../values/time.ts';
import { type BacktestRequest, type GivenRequest, readBacktestRequest } from './request.ts';
import { DEFAULT_WALK_FORWARD, type WalkForwardRequest } from './sweep-windows.ts';

/** A threshold, by its path in the payload form, and its values. */
export type SweepParameter = {
  /** Path of the threshold, such as `stopLossPct` or `entryConditions[0].value`. */
  readonly path: string;
  readonly values: readonly (number | string)[];
};

/** Request as stored with the run. Plain JSON. Never evidence, so a short period is allowed. */
export type SweepRequest = BacktestRequest & {
  readonly parameters: readonly SweepParameter[];
  readonly walkForward: WalkForwardRequest;
};

/** A variant: its values in the order of the parameters, and the resulting manifest. */
export interface Variant {
  readonly values: readonly (number | string)[];
  readonly manifest: Manifest;
  readonly manifestHash: string;
}

export const SWEEP_LIMITS = { parameters: 4, values: 50, variants: 1_000, trainDays: 1_500, testDays: 750 } as const;

const PATH = /^(?:([A-Za-z]+)|(entryConditions|exitConditions)\[(\d+)\]\.([A-Za-z]+))$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Request of a sweep: a backtest's, plus the thresholds and the windows. */
export interface SweepGiven extends Omit<GivenRequest, 'look'> {
  readonly parameters: readonly SweepParameter[];
  readonly walkForward?: Partial<WalkForwardRequest> | undefined;
}

/** Reads a request. Returns it with every default resolved and its variants, or all of its problems. */
export function readSweep(
  manifest: Manifest,
  { parameters, walkForward, ...given }: SweepGiven,
  now: EpochMs,
): { readonly request: SweepRequest; readonly variants: readonly Variant[] } | readonly Problem[] {
  const read = readBacktestRequest({ ...given, look: true }, now);
  const variants = combineVariants(manifest, parameters);
  const windows = { ...DEFAULT_WALK_FORWARD, ...walkForward };
  const problems = [
    ...('assumptions' in read ? [] : read),
    ...countProblems(parameters),
    ...windowProblems(windows),
    ...(isVariants(variants) ? [] : variants),
  ];
  if (!('assumptions' in read) || !isVariants(variants) || problems.length > 0) return problems;
  return { request: { ...read, parameters, walkForward: windows }, variants };
}

function countProblems(parameters: readonly SweepParameter[]): Problem[] {
  const within = (path: string, count: number, most: number, what: string): Problem[] =>
    count >= 1 && count <= most ? [] : [{ path, problem: `${count} ${what} are given`, allowed: `1 to ${most}` }];
  return [
    ...within('$.parameters', parameters.length, SWEEP_LIMITS.parameters, 'thresholds'),
    ...parameters.flatMap(({ values }, index) => within(`$.parameters[${index}].values`, values.length, SWEEP_LIMITS.values, 'values')),
  ];
}

function windowProblems(windows: WalkForwardRequest): Problem[] {
  return (['trainDays', 'testDays'] as const).flatMap((name) => {
    const days = windows[name];
    if (Number.isInteger(days) && days >= 1 && days <= SWEEP_LIMITS[name]) return [];
    return [{ path: `$.walkForward.${name}`, problem: `${days} is not a window length`, allowed: `1 to ${SWEEP_LIMITS[name]} whole days` }];
  });
}

/**
 * Reads a threshold with its values from a command-line argument, such as `stopLossPct=2,4,6`. An exactly spelled number is a number,
 * everything else a text. @throws Error for an ambiguous number such as 1.000.
 */
export function parseParameter(word: string): SweepParameter {
  const [path = '', values = ''] = word.split('=');
  const given = values.split(',').map((value) => value.trim());
  return { path: path.trim(), values: given.filter((value) => value !== '').map(parseValue) };
}

function parseValue(text: string): number | string {
  if (String(Number(text)) === text) return Number(text);
  const read = quantityAt(text, 0);
  if (read !== null && 'question' in read) throw new Error(read.question);
  return text;
}

/**
 * Combines all values in the given order, the first parameter slowest. Returns the variants, or every problem by the path in the request.
 */
export function combineVariants(manifest: Manifest, parameters: readonly SweepParameter[]): readonly Variant[] | readonly Problem[] {
  const problems = parameters.flatMap((parameter, index) => listProblems(manifest, parameter, parameters, index));
  const count = parameters.reduce((product, { values }) => product * values.length, 1);
  if (count > SWEEP_LIMITS.variants)
    problems.push({ path: '$.parameters', problem: `${count} variants are too many`, allowed: `at most ${SWEEP_LIMITS.variants}` });
  if (problems.length > 0) return problems;
  const variants = new Map<string, Variant>();
  for (const values of combinations(parameters)) {
    const read = readManifest(withValues(manifest, parameters, values));
    if (read.ok) {
      const hash = manifestHash(read.manifest);
      // Two spellings of one number are one variant.
      if (!variants.has(hash)) variants.set(hash, { values, manifest: read.manifest, manifestHash: hash });
    } else problems.push(...read.problems);
    if (problems.length > 0)
      return problems.map((problem) => ({ ...problem, problem: `with ${valuesText(parameters, values)}: ${problem.problem}` }));
  }
  return [...variants.values()];
}

/** Returns the values as text, such as `stopLossPct 4, entryConditions[0].value 30`. */
export function valuesText(parameters: readonly SweepParameter[], values: readonly (number | string)[]): string {
  return parameters.map(({ path }, index) => `${path} ${values[index]}`).join(', ');
}

export function isVariants(read: readonly Variant[] | readonly Problem[]): read is readonly Variant[] {
  return read.every((one) => 'manifest' in one);
}

function listProblems(manifest: Manifest, { path, values }: SweepParameter, all: readonly SweepParameter[], index: number): Problem[] {
  const at = `$.parameters[${index}]`;
  const present = findLeaf(renderPayload(manifest), path);
  const problems: Problem[] = [];
  if (present === undefined || !isNumeric(present)) {
    problems.push({
      path: `${at}.path`,
      problem: `${JSON.stringify(path)} is not a threshold of the manifest`,
      allowed: listThresholds(manifest).join(', '),
    });
  }
  if (all.findIndex((one) => one.path === path) !== index)
    problems.push({ path: `${at}.path`, problem: `${JSON.stringify(path)} is named twice`, allowed: 'each threshold once' });
  if (new Set(values.map(String)).size !== values.length)
    problems.push({ path: `${at}.values`, problem: 'a value is given twice', allowed: 'each value once' });
  return problems;
}

/** Returns the paths of a manifest that a sweep may vary: every number in its payload form. */
export function listThresholds(manifest: Manifest): readonly string[] {
  const payload = renderPayload(manifest);
  const own = Object.keys(payload).filter((name) => isNumeric(payload[name]));
  const ofRules = (['entryConditions', 'exitConditions'] as const).flatMap((side) =>
    (payload[side] as readonly Record<string, unknown>[]).flatMap((condition, place) =>
      Object.keys(condition).flatMap((name) => (isNumeric(condition[name]) ? [`${side}[${place}].${name}`] : [])),
    ),
  );
  return [...ofRules, ...own];
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value));
}

function findLeaf(payload: Record<string, unknown>, path: string): unknown {
  const [, own, side, place, field] = PATH.exec(path) ?? [];
  if (own !== undefined) return Object.hasOwn(payload, own) ? payload[own] : undefined;
  const list = side === undefined ? undefined : payload[side];
  const condition: unknown = Array.isArray(list) ? list[Number(place)] : undefined;
  return isObject(condition) && field !== undefined && Object.hasOwn(condition, field) ? condition[field] : undefined;
}

function withValues(manifest: Manifest, parameters: readonly SweepParameter[], values: readonly (number | string)[]): unknown {
  const payload = structuredClone(renderPayload(manifest));
  for (const [index, { path }] of parameters.entries()) {
    const [, own, side, place, field] = PATH.exec(path) ?? [];
    if (own !== undefined) payload[own] = values[index];
    else
      (payload[side as string] as Record<string, unknown>[])[Number(place)] = {
        ...(payload[side as string] as Record<string, unknown>[])[Number(place)],
        [field as string]: values[index],
      };
  }
  return payload;
}

function* combinations(parameters: readonly SweepParameter[]): Generator<readonly (number | string)[]> {
  const [first, ...rest] = parameters;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const value of first.values) for (const others of combinations(rest)) yield [value, ...others];
}
