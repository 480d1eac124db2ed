/** `sevengate explain <decision>`: explains one decision in words. */
import type { Command } from 'commander';
import type { Service } from '../ports.ts';
import { withDatabase } from '../service-database.ts';
import { print, uuid } from '../words.ts';

/** Adds `explain`. An unknown decision sets exit code 1. */
export function explainCommand(command: Command, service: Service): void {
  command
    .argument('<decision>', 'id of the decision, from /v1/agents/:id/decisions', uuid('a decision id'))
    .option('--database <url>', 'URL of the database to read (default: that of the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (decision: string, options: { database?: string; json?: true }) => {
      const [{ createDecisionReads }, { explainDecision, explanationText }] = await Promise.all([
        import('../../adapters/store/agents/decision-reads.ts'),
        import('../../domain/agents/explain-decision.ts'),
      ]);
      // Uses the login role: finding the agent of an old decision searches all decisions, which may take a while.
      const use = { name: 'sevengate explain', connections: 2, role: null, url: options.database };
      const found = await withDatabase(service, use, (sql) => createDecisionReads(sql).find(decision));
      if (found === null) throw new Error(`there is no decision ${decision}: see /v1/agents/:id/decisions for ids`);
      const explanation = explainDecision(found);
      const { id: decisionId, agentId, hash } = found;
      print(options.json ? JSON.stringify({ decisionId, agentId, hash, ...explanation }) : explanationText(explanation));
    });
}
