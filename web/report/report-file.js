/** Report of a backtest or sweep in a single file. The data is in the page; it makes no requests. */
import { backtestReport } from './backtest-report.js';
import { fill, h } from './dom.js';
import { sweepReport } from './sweep-report.js';

const place = /** @type {HTMLElement} */ (document.getElementById('report'));
const data = document.getElementById('data')?.textContent ?? '';
/** @type {({ readonly evaluation: 'backtest' } & import('./backtest-report.js').Report) | ({ readonly evaluation: 'sweep' } & import('./sweep-report.js').Report)} */
const report = JSON.parse(data);
const { title, manifestVersion } = report;
const about = `${title}${manifestVersion === null ? '' : `, manifest v${manifestVersion}`}`;
place.className = 'report-sheet';
fill(
  place,
  h('h1', {}, `${report.evaluation === 'sweep' ? 'Sweep' : 'Backtest'}: ${about}`),
  report.evaluation === 'sweep' ? sweepReport(report).element : backtestReport(report, null).element,
);
