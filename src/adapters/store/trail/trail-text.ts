/** Text report of a trail's verification. */
import { isoTime } from '../../../domain/values/time.ts';
import type { TrailReport } from '../trail-verifier.ts';

/** Formats one line for a valid trail, else a line per altered row in order of time. */
export function trailText(report: TrailReport): string {
  const seen = `${report.decisions} decisions of ${report.agents} agents, ${report.observations} observations, ${report.manifests} manifests, ${report.gateRecords} gate records, ${report.books} books, ${report.outsideProposals === 0 ? '' : `${report.outsideProposals} outside proposals, `}${archiveText(report)}${signedText(report)}${contractsText(report)}${simulatedText(report)}`;
  const corrected = report.corrections.map(
    ({ slot, reason, by, at }) => `  ${isoTime(slot)}  the cut was corrected at ${isoTime(at)} by ${by}: ${reason}`,
  );
  const told = [...corrected, ...routeLines(report)];
  if (report.whole) return [`the trail is whole: ${seen}`, ...told].join('\n');
  const lines = report.breaks.map(
    ({ agentId, slot, part, detail }) => `  ${slot ?? 'no slot'}  agent ${agentId ?? '-'}  ${part}: ${detail}`,
  );
  return [`the trail is broken (${seen}); the first altered row comes first:`, ...lines, ...told].join('\n');
}

/** Formats signed routes with foreign payments, one transaction per line. */
function routeLines({ routes }: TrailReport): readonly string[] {
  return routes.found.map(
    ({ transactionId, wallet, executor, at, findings }) =>
      `  ${isoTime(at)}  transaction ${transactionId}, signed ${executor === 'delegated' ? 'by the delegated signer' : 'by a person'} for ${wallet}: ${findings.join('; ')}`,
  );
}

function archiveText({ archives }: TrailReport): string {
  return archives === 0 ? '' : `${archives} stretches of them from archive files, `;
}

function contractsText({ proofsByContracts }: TrailReport): string {
  return proofsByContracts === 0 ? '' : `; ${proofsByContracts} proofs of wallets that only their contracts can check`;
}

function simulatedText({ simulatedSince }: TrailReport): string {
  return simulatedSince === null ? '' : `; simulated since ${simulatedSince}: the time of this sandbox was moved on`;
}

function signedText({ signatures }: TrailReport): string {
  if (signatures === null) return 'and no signatures: no writer was ever registered';
  const { batches, changes, logged, checkpoints } = signatures;
  return `${batches} signed batches of ${changes} rows, ${logged} of them in the log of ${checkpoints} checkpoints`;
}
