/** The errors of outside systems that gave no answer, of every adapter. */
import { EvmSilence } from './bridge/evm-chain.ts';
import { NodeError } from './json-rpc.ts';
import { LauncherSilence } from './launcher/launcher-http.ts';
import { VenueError } from './venues/venue-feed.ts';

const SILENCES = [EvmSilence, LauncherSilence, NodeError, VenueError];

/** True for an error that says that an outside system did not answer, or refused for now: no stored row is at fault. */
export function isUnanswered(error: unknown): boolean {
  return SILENCES.some((kind) => error instanceof kind);
}
