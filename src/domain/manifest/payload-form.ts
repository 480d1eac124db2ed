/** The payload form of a manifest: flat JSON with condition objects. */
import { CATALOG, type Catalog, universeEntryText } from '../catalog/catalog.ts';
import { conditionJsonSchema } from '../conditions/index.ts';
import { type Fields, type FieldValue, type JsonSchema, objectJsonSchema, type Problem, readFields } from '../values/field.ts';
import {
  canonicalManifest,
  EXTERNAL_FIELDS,
  fieldsAs,
  MAX_CONDITIONS,
  MAX_UNIVERSE,
  type PlainField,
  readConditions,
  readExternal,
  readUniverse,
} from './limits.ts';
import type { Manifest } from './manifest.ts';
import type { ReadManifest } from './reader.ts';

/** Plain fields, followed by those that only the declarative form has a section for, which are optional here. */
const PLAIN: Readonly<Record<string, PlainField>> = {
  name: 'name',
  maxCapitalUsd: 'maxCapitalUsd',
  maxTradeNotionalUsd: 'maxTradeNotionalUsd',
  stopLossPct: 'stopLossPct',
  takeProfitPct: 'takeProfitPct',
  maxDailyDrawdownPct: 'maxDailyDrawdownPct',
  maxOpenPositions: 'maxOpenPositions',
  maxSlippageBps: 'maxSlippageBps',
  description: 'description',
  maxLeverage: 'maxLeverage',
  killSwitchAction: 'killSwitchAction',
  algorithm: 'algorithm',
  urgency: 'urgency',
};

/** Fields of the payload besides its lists. */
const MANIFEST_PAYLOAD_FIELDS: Fields = {
  ...fieldsAs(PLAIN),
  timeframe: { type: 'timeframe', description: 'Bars on which indicators are computed that name none of their own.' },
  strategy: EXTERNAL_FIELDS.kind,
  release: EXTERNAL_FIELDS.release,
};

const LISTS = ['universe', 'entryConditions', 'exitConditions'] as const;

/** Reads a payload. Adds all problems and returns null if there is one. Use `readManifest`. */
export function readPayload(value: Record<string, unknown>, catalog: Catalog, problems: Problem[]): ReadManifest | null {
  const fields = readFields(value, MANIFEST_PAYLOAD_FIELDS, '$', problems, null, LISTS);
  const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
  const timeframe = typeof fields['timeframe'] === 'string' ? fields['timeframe'] : null;
  const universe = readUniverse(own('universe'), catalog, '$.universe', problems);
  const strategy = readExternal(
    fields['strategy'],
    fields['release'],
    (field) => (field === 'kind' ? '$.strategy' : '$.release'),
    problems,
  );
  const conditions = (name: string): unknown => own(name) ?? (strategy === undefined ? undefined : []);
  // If the timeframe is invalid, conditions are checked with a default one, so that their own problems are reported too.
  const entry = readConditions(conditions('entryConditions'), 'entry', timeframe ?? '1h', '$.entryConditions', problems);
  const exit = readConditions(conditions('exitConditions'), 'exit', timeframe ?? '1h', '$.exitConditions', problems);
  if (problems.length > 0 || timeframe === null) return null;
  const manifest = canonicalManifest(fields as Record<PlainField, FieldValue>, {
    universe,
    timeframe,
    entry,
    exit,
    ...(strategy === undefined ? {} : { strategy }),
  });
  return { ok: true, manifest, requestedAutonomy: null, requestedStage: null, agentKey: null };
}

/** Returns a decimal as a JSON number if that is exact, else as a decimal string. */
function numberOrDecimal(decimal: string): number | string {
  const number = Number(decimal);
  return String(number) === decimal && decimal.replace(/\D/g, '').length <= 15 ? number : decimal;
}

/** Returns the manifest in the payload form. Reading it again gives the same hash. */
export function renderPayload(manifest: Manifest, catalog: Catalog = CATALOG): Record<string, unknown> {
  return {
    name: manifest.name,
    description: manifest.description,
    universe: manifest.universe.map((entry) => universeEntryText(entry, catalog)),
    timeframe: manifest.timeframe,
    entryConditions: manifest.entry,
    exitConditions: manifest.exit,
    maxCapitalUsd: numberOrDecimal(manifest.maxCapitalUsd),
    maxTradeNotionalUsd: numberOrDecimal(manifest.maxTradeNotionalUsd),
    maxLeverage: manifest.maxLeverage,
    stopLossPct: manifest.stopLossPct,
    takeProfitPct: manifest.takeProfitPct,
    maxDailyDrawdownPct: manifest.maxDailyDrawdownPct,
    maxOpenPositions: manifest.maxOpenPositions,
    maxSlippageBps: manifest.maxSlippageBps,
    killSwitchAction: manifest.killSwitchAction,
    algorithm: manifest.algorithm,
    urgency: manifest.urgency,
    ...(manifest.strategy === undefined ? {} : { strategy: manifest.strategy.kind, release: manifest.strategy.release }),
  };
}

const withLists = objectJsonSchema(MANIFEST_PAYLOAD_FIELDS, 'Agent version payload.', {
  universe: {
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_UNIVERSE,
    description: 'Symbols or <venue>:<pair>:<instrument kind>, in the order of evaluation.',
  },
  entryConditions: { type: 'array', items: conditionJsonSchema('entry'), maxItems: MAX_CONDITIONS, description: 'All must pass to enter.' },
  exitConditions: {
    type: 'array',
    items: conditionJsonSchema('exit'),
    maxItems: MAX_CONDITIONS,
    description: 'Any one that passes exits.',
  },
});

/**
 * JSON Schema of the payload form. `readManifest` is stricter: it also knows the catalog and checks combinations of fields. Only an
 * external strategy may omit its conditions.
 */
export const manifestPayloadSchema: JsonSchema = {
  ...withLists,
  required: (withLists['required'] as readonly string[]).filter((name) => name !== 'entryConditions' && name !== 'exitConditions'),
};
