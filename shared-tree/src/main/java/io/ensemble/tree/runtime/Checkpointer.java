package io.ensemble.tree.runtime;

import io.ensemble.tree.TreeException;
import io.ensemble.tree.state.CommitComparison;
import io.ensemble.tree.state.LoggedCommit;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.PageWriter;
import io.ensemble.tree.state.PageWriter.Checkpoint;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreePage.PageReference;
import io.ensemble.tree.state.TreeState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes planned checkpoints, and removes pages that were replaced long ago. At most one at a time
 * in a process; several processes may write the same checkpoint. What a process leaves undone when
 * it dies, the next one does again: the same pages under the same names, and the same removals.
 */
public final class Checkpointer {

  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  /** After this time, a checkpoint that another process should write is written here. */
  private static final long PATIENCE_NANOS = 1_000_000_000;

  private final CommitSequencer sequencer;
  private final TreePages pages;
  private final Executor executor;
  private final AtomicBoolean isRunning = new AtomicBoolean();

  /** Whether a checkpoint was planned that the present run may not have seen. */
  private final AtomicBoolean isWanted = new AtomicBoolean();

  /** The last checkpoint that this process has tried to write. */
  private volatile long attempted;

  /** The last checkpoint that needed a damaged page; -1 for none. */
  private long damaged = -1;

  private long awaited;
  private long awaitedSince;

  /**
   * @param executor runs checkpoints, which block
   */
  public Checkpointer(CommitSequencer sequencer, TreePages pages, Executor executor) {
    this.sequencer = sequencer;
    this.pages = pages;
    this.executor = executor;
  }

  /** Writes planned checkpoints; one that is planned during a run is written by the same run. */
  public void start() {
    isWanted.set(true);
    if (isRunning.compareAndSet(false, true)) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException closed) {
        isRunning.set(false);
      }
    }
  }

  /** Starts, if this process has seen the planned checkpoint for some time. */
  public synchronized void startIfLate(TreeState state) {
    if (state.plannedTo() == 0) {
      return;
    }
    long now = sequencer.nanoTime();
    if (awaited != state.checkpoint() + 1) {
      awaited = state.checkpoint() + 1;
      awaitedSince = now;
    } else if (now - awaitedSince > PATIENCE_NANOS) {
      awaitedSince = now;
      start();
    }
  }

  private void run() {
    try {
      boolean hasPlan = false;
      while (isWanted.getAndSet(false) || hasPlan) {
        hasPlan = writePlanned();
      }
    } catch (TreeException.Damaged e) {
      if (isFirstDamageOf(attempted)) {
        LOG.warn("A checkpoint cannot be written; commits will be refused when the log is full", e);
      }
    } catch (TreeException e) {
      LOG.debug("A checkpoint was not completed; another process or a later call will", e);
    } finally {
      isRunning.set(false);
    }
    if (isWanted.get()) {
      start(); // It was planned after the last look.
    }
  }

  /**
   * Removes the pages that no reader needs any more, and writes the planned checkpoint, if there is
   * one. The sequencer learns of both in one step, so that a process that writes a single
   * checkpoint leaves no removal behind.
   *
   * @return whether a further checkpoint is planned
   * @throws TreeException.Damaged if a page that it needs is lost
   * @throws TreeException.NotApplied if another process wrote the checkpoint meanwhile
   */
  public boolean writePlanned() {
    TreeState state = sequencer.read();
    if (state.plannedTo() == 0) {
      return false;
    }
    attempted = state.checkpoint() + 1;
    try {
      return writePlanned(state);
    } catch (MissingPageException e) {
      TreeState now = sequencer.read();
      if (now.compare(state.last(), state.chain()) == CommitComparison.SAME
          && state.checkpoint() >= now.readableFrom()) {
        throw new TreeException.Damaged(String.valueOf(e.getMessage()), e);
      }
      throw new TreeException.NotApplied("another process wrote the checkpoint meanwhile", e);
    }
  }

  /** A checkpoint that needs a damaged page is tried about every second; one report suffices. */
  synchronized boolean isFirstDamageOf(long checkpoint) {
    boolean isFirst = checkpoint != damaged;
    damaged = checkpoint;
    return isFirst;
  }

  private boolean writePlanned(TreeState state) {
    for (long old = state.removedTo() + 1; old <= state.readableFrom(); old++) {
      pages.removeReplaced(old);
    }
    List<LoggedCommit> commits = state.log(state.plannedTo());
    readAhead(state, commits);
    long number = state.checkpoint() + 1;
    Checkpoint checkpoint =
        PageWriter.write(number, state.settings().pageBytes(), state.root(), pages::read, commits);
    pages.write(number, checkpoint.written(), checkpoint.replaced());
    Optional<AdvanceOutcome> outcome;
    try {
      outcome =
          sequencer.advance(
              number,
              commits.get(commits.size() - 1).chain(),
              PageReference.encoded(checkpoint.root()),
              state.readableFrom());
    } catch (TreeException.NoSuchTree deleted) {
      pages.discard(checkpoint.written().keySet(), number);
      throw deleted;
    }
    return outcome.isPresent() && outcome.get().hasPlan();
  }

  /** Reads the pages that will change, those of one level at the same time. */
  private void readAhead(TreeState state, List<LoggedCommit> commits) {
    int levels = state.root().map(root -> root.level() + 1).orElse(0);
    for (int i = 0; i < 2 * levels; i++) { // Usage that is found removes records on each level.
      List<PageId> unknown =
          PageWriter.unknownPages(
              state.settings().pageBytes(), state.root(), pages::cached, commits);
      if (unknown.isEmpty()) {
        return;
      }
      pages.readAll(unknown);
    }
  }
}
