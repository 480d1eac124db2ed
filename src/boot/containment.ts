/** Containment of failing rows, shared by the background loops of one process. */
import { type Containment, createContainment } from '../../actors/runtime/containment.ts';
import { createQuarantineLedger } from '../adapters/store/actors/quarantine-store.ts';
import { isOutage, type Sql } from '../adapters/store/database.ts';
import { isUnanswered } from '../adapters/unanswered.ts';
import type { ServiceProcess } from './service-process.ts';

/** Opens the containment. With a null `sql` quarantined rows are not recorded, as in a fast-forward, which nobody watches. */
export function openContainment(
  { clock, metrics, warn }: Pick<ServiceProcess, 'clock' | 'metrics' | 'warn'>,
  sql: Sql | null,
): Containment {
  return createContainment({
    isOutage,
    isSilence: isUnanswered,
    ledger: sql === null ? null : createQuarantineLedger(sql),
    clock,
    onError: warn,
    onFailure: metrics.rowFailed,
  });
}
