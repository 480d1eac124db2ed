/** Reads an authored manifest of either form into the canonical form, or lists all of its problems. */
import type { Autonomy, Stage } from '../agents/agent.ts';
import { CATALOG, type Catalog } from '../catalog/catalog.ts';
import { conditionDefinition } from '../conditions/index.ts';
import { Decimal } from '../values/decimal.ts';
import { describeValue, isObject, type Problem } from '../values/field.ts';
import { isDeclarative, readDeclarative } from './declarative-form.ts';
import { MAX_CONDITIONS, MAX_UNIVERSE } from './limits.ts';
import type { Manifest } from './manifest.ts';
import { readPayload } from './payload-form.ts';

/**
 * A read manifest. Only `manifest` is hashed. The other three are requests of a declarative form (`agent.autonomy_level`,
 * `agent.lifecycle_stage`, `agent.id`): control state that changes by its own rules and gates, never by a file. Null if the form does not
 * have them.
 */
export interface ReadManifest {
  readonly ok: true;
  readonly manifest: Manifest;
  readonly requestedAutonomy: Autonomy | null;
  readonly requestedStage: Stage | null;
  readonly agentKey: string | null;
}

interface RefusedManifest {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

/**
 * Reads the payload form or the declarative form. A value with a declarative section is declarative. The caller parses YAML. Reports all
 * problems at once, each with its JSON path. Parts that are only incomplete for promotion (an empty universe, a zero limit) are left to
 * `draftProblems`.
 */
export function readManifest(value: unknown, catalog: Catalog = CATALOG): ReadManifest | RefusedManifest {
  if (!isObject(value)) {
    return {
      ok: false,
      problems: [
        { path: '$', problem: `a manifest is an object, got ${describeValue(value)}`, allowed: 'the payload form or the declarative form' },
      ],
    };
  }
  const problems: Problem[] = [];
  const read = isDeclarative(value) ? readDeclarative(value, catalog, problems) : readPayload(value, catalog, problems);
  return read === null || problems.length > 0 ? { ok: false, problems } : read;
}

/**
 * Returns why a draft cannot leave `draft` for `backtest`. Empty if it can. A read manifest already fits the schema, so this checks that
 * the universe is not empty and the limits are set. Paths are those of the canonical manifest.
 */
export function draftProblems(manifest: Manifest, catalog: Catalog = CATALOG): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: string, problem: string, allowed: string): void => {
    problems.push({ path: `$.${path}`, problem, allowed });
  };
  const capital = new Decimal(manifest.maxCapitalUsd);
  const notional = new Decimal(manifest.maxTradeNotionalUsd);
  if (manifest.universe.length === 0) refuse('universe', 'the universe is empty', `1 to ${MAX_UNIVERSE} instruments`);
  manifest.universe.forEach((entry, index) => {
    if (catalog.byKey(entry.key) === undefined)
      refuse(`universe[${index}]`, `${entry.key} is not in the catalog`, 'instruments of the catalog');
  });
  if (manifest.strategy === undefined && manifest.entry.length === 0)
    refuse('entry', 'no entry condition: the agent could never buy', `1 to ${MAX_CONDITIONS} conditions`);
  manifest.entry.forEach((condition, index) => {
    const kinds = conditionDefinition(condition.type)?.kinds ?? null;
    if (
      kinds === null ||
      manifest.universe.length === 0 ||
      manifest.universe.some((entry) => (kinds as readonly string[]).includes(entry.kind))
    )
      return;
    refuse(`entry[${index}]`, `${condition.type} can never pass: it does not apply to any instrument of the universe`, kinds.join(', '));
  });
  if (!capital.gt(0)) refuse('maxCapitalUsd', 'no capital', 'more than 0');
  if (!notional.gt(0)) refuse('maxTradeNotionalUsd', 'no notional for a trade', 'more than 0');
  else if (notional.gt(capital.times(manifest.maxLeverage))) {
    refuse(
      'maxTradeNotionalUsd',
      'a trade may not be larger than the capital times the leverage',
      `at most ${capital.times(manifest.maxLeverage).toFixed()}`,
    );
  }
  if (new Decimal(manifest.maxLeverage).lt(1)) refuse('maxLeverage', 'leverage below 1', '1 or more');
  if (!(manifest.stopLossPct > 0 && manifest.stopLossPct < 100))
    refuse('stopLossPct', 'no valid stop-loss', 'more than 0 and less than 100');
  if (!(manifest.takeProfitPct > 0)) refuse('takeProfitPct', 'no valid take-profit', 'more than 0');
  if (!(manifest.maxDailyDrawdownPct > 0 && manifest.maxDailyDrawdownPct < 100)) {
    refuse('maxDailyDrawdownPct', 'no valid daily drawdown limit', 'more than 0 and less than 100');
  }
  if (manifest.maxOpenPositions < 1) refuse('maxOpenPositions', 'no position may be opened', '1 or more');
  return problems;
}
