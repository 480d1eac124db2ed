/** `sevengate backtest`: historical simulation of a manifest, from files without a service or from the stored bars. */
import type { Command } from 'commander';
import { ASSUMPTION_LIMITS } from '../../domain/backtest/assumptions.ts';
import { DEFAULT_WALK_FORWARD } from '../../domain/backtest/sweep-windows.ts';
import type { BacktestOptions } from './backtest-options.ts';
import type { Service } from '../ports.ts';
import { count, quantity } from '../words.ts';

/** Adds `backtest`. A refused run sets exit code 1 and prints the reason. */
export function backtestCommand(command: Command, service: Service): void {
  const { costMultiplier, maxParticipationPct, minOrderUsd } = ASSUMPTION_LIMITS;
  const windowDays = quantity('days', 'a whole number of days such as 365');
  command
    .argument('<manifest>', 'the manifest: YAML or JSON, in either form')
    .option(
      '--from <time>',
      'bars open from then on: YYYY-MM-DD or ISO 8601 (default: the first bar; of the store: five years before --to)',
    )
    .option('--to <time>', 'end of the last bar (default: the last bar; of the store: the end of the last UTC day)')
    .option('--timeframe <timeframe>', "timeframe of the bars (default: the manifest's)")
    .option(
      '--candles <source...>',
      '`store` (which `sevengate candles` fills), a CSV file, or <instrument>=<file> for each, such as AAPLx=aaplx.csv reference:AAPL=aapl.csv',
      ['store'],
    )
    .option('--look', 'allow a period of less than five years; its result does not count as evidence')
    .option('--cost-multiplier <n>', costMultiplier.description, quantity('number', 'a number such as 1.5'))
    .option('--max-participation-pct <n>', maxParticipationPct.description, quantity('percent', 'a percentage such as 2.5'))
    .option('--min-order-usd <n>', minOrderUsd.description, quantity('usd', 'an amount in US dollars such as 1000'))
    .option('--versions-tried <n>', 'number of versions of this strategy tried, including this one', count(1, 1_000_000), 1)
    .option(
      '--sweep <threshold...>',
      'sweep parameters, each as <path>=<value>,<value>, such as stopLossPct=2,4 entryConditions[0].value=25,30: every variant counts as a trial, with a walk-forward test; does not count as evidence',
    )
    .option('--train-days <n>', `training days of the walk-forward (default: ${DEFAULT_WALK_FORWARD.trainDays})`, windowDays)
    .option('--test-days <n>', `test days after them (default: ${DEFAULT_WALK_FORWARD.testDays})`, windowDays)
    .option('--report <file>', 'write the report as one HTML file')
    .option('--json', 'print the whole result as JSON')
    .action(async (file: string, options: BacktestOptions) => (await import('./backtest-run.ts')).run(service, file, options));
}
