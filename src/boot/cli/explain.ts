/** `sevengate explain <decision>`: one decision in words. */
import { type Command, InvalidArgumentError } from 'commander';
import { createDecisionReads } from '../../adapters/store/agents/decision-reads.ts';
import { openDatabase } from '../../adapters/store/database.ts';
import { explainDecision, explanationText } from '../../domain/explain-decision.ts';
import { serviceDatabase } from './service-database.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Adds `explain`. A decision that is not on record ends with exit code 1. */
export function explainCommand(command: Command): void {
  command
    .argument('<decision>', 'id of the decision, as /v1/agents/:id/decisions gives it', uuid)
    .option('--database <url>', 'URL of the database to read (default: that of the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (decision: string, options: { database?: string; json?: true }) => {
      const { url, close } = options.database === undefined ? await serviceDatabase() : { url: options.database, close: async () => {} };
      // As the login role: of an old decision the agent is looked for among all decisions, which may take a while.
      const sql = openDatabase({ url, connections: 2, role: null, name: 'sevengate explain' });
      try {
        const found = await createDecisionReads(sql).find(decision);
        if (found === null) throw new Error(`there is no decision ${decision}: its id stands in /v1/agents/:id/decisions`);
        const explanation = explainDecision(found);
        process.stdout.write(
          `${options.json ? JSON.stringify({ decisionId: found.id, agentId: found.agentId, hash: found.hash, ...explanation }) : explanationText(explanation)}\n`,
        );
      } finally {
        await sql.end({ timeout: 3 });
        await close();
      }
    });
}

function uuid(text: string): string {
  if (!UUID.test(text)) throw new InvalidArgumentError('a decision id is a UUID, for example b36a8930-5b1e-8c00-a000-000000000001');
  return text.toLowerCase();
}
