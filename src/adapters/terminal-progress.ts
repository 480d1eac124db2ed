/** A progress bar on stderr, or a line every ten seconds where stderr is no terminal. */
import { Presets, SingleBar } from 'cli-progress';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { workProgress, type WorkProgress } from '../domain/values/work-progress.ts';

/** Interval of progress lines if no bar can be drawn. */
const LINE_MS = 10_000;

interface Progress {
  /** Shows the progress with an estimate of the remaining time, from the recent pace. */
  update(done: number, total: number): void;
  /** Shows progress as the API reports it, with what is left and what is waited for. */
  show(work: WorkProgress): void;
  stop(): void;
}

/** `what` stands before the bar, `unit` behind the numbers. */
export function progressBar(
  what: string,
  unit: string,
  stream: NodeJS.WriteStream = process.stderr,
  clock: { now(): number } = createLiveClock(),
): Progress {
  if (!stream.isTTY) return progressLines(what, unit, stream, clock);
  let bar: SingleBar | null = null;
  function draw(done: number, total: number, rest: string, payload: object): void {
    if (bar === null) {
      const format = `${what} {bar} {percentage}% {value}/{total} ${unit}${rest}`;
      bar = new SingleBar({ stream, clearOnComplete: true, hideCursor: true, fps: 10, format }, Presets.shades_classic);
      bar.start(total, done, payload);
    } else {
      bar.setTotal(total);
      bar.update(done, payload);
    }
  }
  return {
    update: (done, total) => draw(done, total, ' {eta_formatted}', {}),
    show(work) {
      if (work.progress !== null) draw(work.progress.done, work.progress.total, '{rest}', { rest: restText(work) });
    },
    stop: () => bar?.stop(),
  };
}

/** Writes progress to a log: a line every ten seconds, and none for what ends before that. */
function progressLines(what: string, unit: string, stream: NodeJS.WriteStream, clock: { now(): number }): Progress {
  const begunAt = clock.now();
  let saidAt = begunAt;
  function show(work: WorkProgress): void {
    const { progress } = work;
    if (progress === null || clock.now() - saidAt < LINE_MS) return;
    saidAt = clock.now();
    const percent = progress.total === 0 ? 100 : Math.floor((100 * progress.done) / progress.total);
    stream.write(`${what}: ${percent}% ${progress.done}/${progress.total} ${unit}${restText(work)}\n`);
  }
  return {
    update: (done, total) => show(workProgress({ counted: { done, total, unit }, begunAt, at: clock.now() })),
    show,
    stop: () => {},
  };
}

function restText({ remainingMs, waitingFor }: WorkProgress): string {
  const seconds = remainingMs === null ? null : Math.ceil(remainingMs / 1_000);
  const left = seconds === null ? '' : `, ${seconds < 60 ? '' : `${Math.floor(seconds / 60)} min `}${seconds % 60} s left`;
  return `${left}${waitingFor === null ? '' : `; waits: ${waitingFor.detail}`}`;
}
