/** Containment of bad rows as the background loops of one process share it. */
import { type Containment, createContainment } from '../../actors/runtime/containment.ts';
import { createQuarantineLedger } from '../adapters/store/actors/quarantine-store.ts';
import { isOutage, type Sql } from '../adapters/store/database.ts';
import { isUnanswered } from '../adapters/unanswered.ts';
import type { ServiceProcess } from './service-process.ts';

/** `sql` null keeps no record of quarantined rows: of a stretch of the past that nobody waits for. */
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
