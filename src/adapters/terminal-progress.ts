/** A progress bar on stderr, or nothing where stderr is no terminal. */
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(done: number, total: number): void;
  stop(): void;
}

/** `what` stands before the bar, `unit` behind the numbers. */
export function progressBar(what: string, unit: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar(
    {
      stream,
      clearOnComplete: true,
      hideCursor: true,
      fps: 10,
      format: `${what} {bar} {percentage}% {value}/{total} ${unit} {eta_formatted}`,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update(done, total) {
      if (!started) {
        bar.start(total, done);
        started = true;
      } else {
        bar.setTotal(total);
        bar.update(done);
      }
    },
    stop: () => {
      if (started) bar.stop();
    },
  };
}
