package io.ensemble.deploy.check;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Stops the process that writes to an SWMR cache where it stands, now and then, until its lease has
 * run out and the next one has written: when it goes on it believes to be the writer, and must not
 * acknowledge what it has under way, nor answer what was true when it was stopped. One thread uses
 * it.
 */
final class WriterPauses {
  private static final int EACH_TURNS = 3;
  private static final long INTO_TURN_MILLIS = 4_500;
  private static final int PAUSE_SECONDS = 5;

  private final Turns turns;
  private final IntToLongFunction pids;
  private final Consumer<String> progress;
  private long lastTurn = -1;
  private @Nullable Process signals;

  /**
   * @param turns whose turn it is; of any process
   * @param pids the id of each client process
   */
  WriterPauses(Turns turns, IntToLongFunction pids, Consumer<String> progress) {
    this.turns = turns;
    this.pids = pids;
    this.progress = progress;
  }

  /** Stops one if it is time to, so long after the clients began. */
  void look(long nanosSinceBegin) {
    long turn = turns.turn(nanosSinceBegin);
    long into = nanosSinceBegin / 1_000_000 - turn * turns.turnMillis();
    if (turn == lastTurn || turn % EACH_TURNS != 0 || into < INTO_TURN_MILLIS) {
      return;
    }
    lastTurn = turn;
    int process = (int) (turn % turns.processes());
    long pid = pids.applyAsLong(process);
    try {
      // One shell does both, so that nobody stays stopped if this process ends meanwhile.
      signals =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "kill -STOP %d; sleep %d; kill -CONT %d".formatted(pid, PAUSE_SECONDS, pid))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      progress.accept(
          "the writing client process, %d, is stopped for %d s".formatted(process, PAUSE_SECONDS));
    } catch (IOException noShell) {
      progress.accept("the writing client process cannot be stopped: " + noShell.getMessage());
    }
  }

  /** Waits until none is. */
  void end() throws InterruptedException {
    Process last = signals;
    if (last != null) {
      last.waitFor(2L * PAUSE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
