/** Containment of failing rows, shared by the background loops of one process. */
import { type Containment, createContainment } from '../../actors/runtime/containment.ts';
import { createQuarantineLedger } from '../adapters/store/actors/quarantine-store.ts';
import { isOutage, type Sql } from '../adapters/store/database.ts';
import type { ServiceProcess } from './service-process.ts';
import { EvmSilence } from '../adapters/bridge/evm-bridge-chain.ts';
import { NodeError } from '../adapters/json-rpc.ts';
import { LauncherSilence } from '../adapters/launcher/launcher-http.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';

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

const SILENCES = [EvmSilence, LauncherSilence, NodeError, VenueError];

/** True for an error that says that an outside system did not answer, or refused for now: no stored row is at fault. */
function isUnanswered(error: unknown): boolean {
  return SILENCES.some((kind) => error instanceof kind);
}
