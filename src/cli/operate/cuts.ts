/** `sevengate cuts`: marks wrong cuts of the feed as superseded, signed by the owner, and lists them. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { type CutCorrection, correctCuts, cutCorrections } from '../../adapters/store/trail/cut-corrections.ts';
import { instant, isoTime } from '../../domain/values/time.ts';
import { withDatabase, withWriterDatabase } from '../service-database.ts';
import type { Service } from '../ports.ts';

export function cutCommands(cuts: Command, service: Service): void {
  cuts
    .command('correct')
    .description('mark the cuts of a period as wrong: decisions stay, but gates, vaults and rankings ignore these cuts')
    .requiredOption('--from <time>', 'the first slot, such as 2026-11-23T08:00:00Z')
    .requiredOption('--until <time>', 'end of the period, exclusive')
    .requiredOption('--reason <text>', 'reason, one line of 10 to 500 characters')
    .option('--json', 'print the corrections as JSON')
    .action(async (options: { from: string; until: string; reason: string; json?: true }) => {
      const span = { from: instant(options.from, '--from'), until: instant(options.until, '--until') };
      if (span.from >= span.until) throw new Error(`--until ${options.until}: it should be later than --from ${options.from}`);
      const reason = options.reason.trim();
      if (reason.length < 10 || reason.length > 500 || reason.includes('\n'))
        throw new Error('--reason: give one line of 10 to 500 characters');
      const by = userInfo().username;
      print(await withWriterDatabase(service, 'sevengate cuts', (sql) => correctCuts(sql, { ...span, reason, by }), 'owner'), options.json);
    });

  cuts
    .command('list')
    .description('list corrected cuts with time, author and reason')
    .option('--json', 'print the result as JSON')
    .action(async (options: { json?: true }) => {
      print(await withDatabase(service, { name: 'sevengate cuts', role: null, readOnly: true }, cutCorrections), options.json);
    });
}

function print(corrections: readonly CutCorrection[], json: true | undefined): void {
  const lines = corrections.map(({ slot, reason, by, at }) => `${isoTime(slot)}: corrected at ${isoTime(at)} by ${by}: ${reason}`);
  process.stdout.write(`${json ? JSON.stringify(corrections) : lines.length === 0 ? 'no corrected cuts' : lines.join('\n')}\n`);
}
