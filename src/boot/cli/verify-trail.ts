/** `sevengate verify-trail`: recomputes the whole decision trail and names the first row that was altered. */
import type { Command } from 'commander';
import { isConnectionLoss, openDatabase } from '../../adapters/store/database.ts';
import { type TrailReport, verifyTrail } from '../../adapters/store/trail-verifier.ts';
import { progressBar } from './progress.ts';
import { serviceDatabase } from './service-database.ts';

/** Adds `verify-trail`. A break sets exit code 1. */
export function verifyTrailCommand(command: Command): void {
  command
    .option('--database <url>', 'URL of the database to verify (default: that of the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (options: { database?: string; json?: true }) => {
      const { url, close } = options.database === undefined ? await serviceDatabase() : { url: options.database, close: async () => {} };
      // As the login role: its statements may run for as long as they need, and its transaction is read-only.
      const sql = openDatabase({ url, connections: 1, role: null, name: 'sevengate verify-trail' });
      const bar = progressBar('verifying', 'decisions');
      try {
        const report = await verifyTrail(sql, bar.update).catch((error: unknown) => {
          throw isConnectionLoss(error)
            ? new Error(`the database cannot be reached: ${(error as Error).message}`, { cause: error })
            : error;
        });
        bar.stop();
        process.stdout.write(`${options.json ? JSON.stringify(report) : reportText(report)}\n`);
        if (!report.whole) process.exitCode = 1;
      } finally {
        bar.stop();
        await sql.end({ timeout: 3 });
        await close();
      }
    });
}

function reportText(report: TrailReport): string {
  const seen = `${report.decisions} decisions of ${report.agents} agents, ${report.observations} observations, ${report.manifests} manifests, ${report.gateRecords} gate records, ${report.books} books`;
  if (report.whole) return `the trail is whole: ${seen}`;
  const lines = report.breaks.map(
    ({ agentId, slot, part, detail }) => `  ${slot ?? 'no slot'}  agent ${agentId ?? '-'}  ${part}: ${detail}`,
  );
  return [`the trail is broken (${seen}); the first altered row comes first:`, ...lines].join('\n');
}
