/** Backtest result in four lines of text. */
import type { BacktestOutcome } from './backtest-work.ts';

/** Formats an outcome. @param report path of the report file, or null if none was written */
export function outcomeText(outcome: Extract<BacktestOutcome, { readonly ok: true }>, report: string | null): string {
  const { summary, resultHash } = outcome;
  const number = (name: string, unit = ''): string =>
    typeof summary[name] === 'number' ? `${(summary[name] as number).toFixed(2)}${unit}` : 'not defined';
  const gate =
    summary['passed'] === null ? 'a look, no evidence' : summary['passed'] === true ? 'would pass the gate' : 'would not pass the gate';
  return [
    `${String(summary['from'])} to ${String(summary['to'])}, ${String(summary['bars'])} bars of ${String(summary['timeframe'])}: ${gate}`,
    `Sharpe ${number('sharpe')}, Sortino ${number('sortino')}, maximum drawdown ${number('maxDrawdownPct', ' %')}, return ${number('returnPct', ' %')} (buy and hold ${number('benchmarkReturnPct', ' %')})`,
    `${String(summary['closedTrades'])} closed trades, hit rate ${number('hitRatePct', ' %')}; deflated Sharpe ${number('deflatedSharpe')} for ${String(summary['versionsTried'])} version(s) tried`,
    `result ${resultHash}${report === null ? '' : `, report ${report}`}`,
  ].join('\n');
}
