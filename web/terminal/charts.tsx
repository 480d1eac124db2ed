/** Charts and their library, loaded together when the first one is shown. */
export { backtestReport } from '../report/backtest-report.js';
export { sweepReport } from '../report/sweep-report.js';
export { AgentChart } from './agents/chart.tsx';
export { ActorPrice } from './debugger/price.tsx';
export { Candles } from './chart/candles.tsx';
export { CourseCanvas } from './kit/course-canvas.tsx';
