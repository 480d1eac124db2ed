/** The report of a backtest alone in a file: its numbers are in the page, and it asks nobody for anything. */
import { backtestReport } from './backtest-report.js';
import { fill, h } from './dom.js';

const place = /** @type {HTMLElement} */ (document.getElementById('report'));
const data = document.getElementById('data')?.textContent ?? '';
/** @type {import('./backtest-report.js').Report} */
const report = JSON.parse(data);
const { title, manifestVersion } = report;
place.className = 'page';
fill(
  place,
  h('h1', {}, `Backtest: ${title}${manifestVersion === null ? '' : `, manifest v${manifestVersion}`}`),
  backtestReport(report, null).element,
);
