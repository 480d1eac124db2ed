/** A duty that one process at a time performs under a lease. The others stand by and take over. */

/** Work of the process on duty, until it ends it. */
export interface DutyWork {
  end(): Promise<void>;
}

/** Reason why this process cannot be on duty now, or has to restart its work. */
export interface DutyObstacle {
  /** One sentence for operators. */
  readonly why: string;
  /** True if another process should take over at once. */
  readonly gives: boolean;
}

interface DutyDeps<Work extends DutyWork> {
  /** Takes or renews the lease. Returns false while another process holds it. */
  readonly hold: () => Promise<boolean>;
  readonly release: () => Promise<void>;
  /** Returns why this process must give up the lease, read before each renewal. */
  readonly obstacle: () => Promise<DutyObstacle | null>;
  readonly begin: () => Promise<Work>;
  /** Receives the reason if the work ended unexpectedly. */
  readonly onLost: (why: string) => void;
  /** Log message while another process holds the lease. */
  readonly taken: string;
}

interface Duty<Work extends DutyWork> {
  /** Work in progress, or null on standby. */
  readonly work: Work | null;
  /** Renews the lease, and begins or ends the work accordingly. Overlapping calls begin one work. */
  look(): Promise<void>;
  /** Ends the work. The caller releases the lease. */
  stop(): Promise<void>;
}

export function createDuty<Work extends DutyWork>(deps: DutyDeps<Work>): Duty<Work> {
  let work: Work | null = null;
  let beginning = false;

  async function end(): Promise<void> {
    const ending = work;
    work = null;
    await ending?.end();
  }

  async function lose(why: string): Promise<void> {
    if (work === null) return;
    deps.onLost(why);
    await end();
  }

  return {
    get work() {
      return work;
    },
    async look() {
      const obstacle = await deps.obstacle();
      if (obstacle !== null) {
        await lose(obstacle.why);
        if (obstacle.gives) return deps.release();
      }
      const held = await deps.hold();
      if (!held) return lose(deps.taken);
      // Looks may overlap if the database is slow.
      if (work !== null || beginning) return;
      beginning = true;
      try {
        work = await deps.begin();
      } finally {
        beginning = false;
      }
    },
    stop: end,
  };
}
