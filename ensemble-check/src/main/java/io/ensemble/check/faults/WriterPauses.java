package io.ensemble.check.faults;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Pauses the process that writes to an SWMR cache from time to time, until its lease has expired
 * and the next process has written. When the paused process resumes, it assumes to be the writer.
 * It must not acknowledge its writes under way, nor return values that were true before the pause.
 * The seed chooses one of each three turns, so that every process is paused. Used by one thread.
 */
public final class WriterPauses {
  /** The kind of the events. */
  static final String KIND = "writer-pause";

  static final int EACH_TURNS = 3;
  static final long INTO_TURN_MILLIS = 4_500;
  private static final int PAUSE_SECONDS = 5;

  /** Pauses processes. */
  public interface ProcessPauser {
    /**
     * Pauses one process, which resumes on its own.
     *
     * @return a process that runs until the paused one resumes
     */
    Process stop(long pid, int seconds) throws IOException;
  }

  /** Records each pause when it is over, on any thread. */
  public interface PauseLog {
    void note(String phase, int number, String kind, String process, String what);
  }

  private final WriterRotation writerRotation;
  private final SplittableRandom random;
  private final IntToLongFunction pids;
  private final ProcessPauser processPauser;
  private final PauseLog log;
  private long lastDrawnGroup = -1;
  private long chosenTurn = -1;
  private int number;
  private @Nullable CompletableFuture<Void> last;

  /**
   * @param writerRotation the turns of the processes; that of any process
   * @param pids the id of each client process
   */
  public WriterPauses(
      WriterRotation writerRotation,
      long seed,
      IntToLongFunction pids,
      ProcessPauser processPauser,
      PauseLog log) {
    this.writerRotation = writerRotation;
    this.random = new SplittableRandom(seed);
    this.pids = pids;
    this.processPauser = processPauser;
    this.log = log;
  }

  /** One shell does both, so that no process stays paused if this process ends meanwhile. */
  public static Process stopByShell(long pid, int seconds) throws IOException {
    return new ProcessBuilder(
            "sh", "-c", "kill -STOP %d; sleep %d; kill -CONT %d".formatted(pid, seconds, pid))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** Pauses a process if it is time to, that long after the clients began. */
  public void pauseIfDue(long nanosSinceBegin) {
    long turn = writerRotation.turn(nanosSinceBegin);
    long into = nanosSinceBegin / 1_000_000 - turn * writerRotation.turnMillis();
    drawTurns(turn / EACH_TURNS);
    if (turn != chosenTurn || into < INTO_TURN_MILLIS) {
      return;
    }
    chosenTurn = -1;
    int pauseNumber = ++number;
    int process = (int) (turn % writerRotation.processes());
    String name = "client-" + process;
    String what = "%s, the writer, is paused for %d s".formatted(name, PAUSE_SECONDS);
    log.note(FaultEvent.BEGIN, pauseNumber, KIND, name, what);
    try {
      last =
          processPauser
              .stop(pids.applyAsLong(process), PAUSE_SECONDS)
              .onExit()
              .thenAccept(ended -> log.note(FaultEvent.END, pauseNumber, KIND, name, what));
    } catch (IOException noShell) {
      String why = name + " cannot be paused: " + noShell.getMessage();
      log.note(FaultEvent.END, pauseNumber, KIND, name, why);
    }
  }

  /**
   * One draw for each group of turns, even if {@link #pauseIfDue} was not called during the group.
   */
  private void drawTurns(long group) {
    while (lastDrawnGroup < group) {
      lastDrawnGroup++;
      chosenTurn = lastDrawnGroup * EACH_TURNS + random.nextInt(EACH_TURNS);
    }
  }

  /** Waits until no process is paused, and the last pause is recorded. */
  public void end() throws InterruptedException {
    CompletableFuture<Void> stopped = last;
    if (stopped != null) {
      try {
        stopped.get(2L * PAUSE_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException untold) {
        // The process resumes on its own; only the record of the pause is missing.
      }
    }
  }
}
