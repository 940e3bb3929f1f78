package io.ensemble.tree;

import io.ensemble.tree.runtime.Checkpointer;
import io.ensemble.tree.runtime.CommitSequencer;
import io.ensemble.tree.runtime.MissingPageException;
import io.ensemble.tree.runtime.TreePages;
import io.ensemble.tree.state.CommitComparison;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.TreeSnapshot;
import io.ensemble.tree.state.TreeState;
import java.time.Duration;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs transactions: reads a snapshot, runs the body, commits, and begins again on a conflict. */
final class TransactionRunner {

  /**
   * The size of a transaction with the paths that it has read and the owners whose usage it
   * changes; a call may have 256 KiB.
   */
  private static final int MOST_REQUEST = 250 << 10;

  private static final Duration FULL_WAIT = Duration.ofMillis(50);
  private static final long LONGEST_PAUSE_MICROS = 100_000;
  private static final long FIRST_PAUSE_MICROS = 500;

  private final CommitSequencer sequencer;
  private final TreePages pages;
  private final Checkpointer checkpointer;
  private final Random random;
  private final int maxAttempts;
  private final long timeoutNanos;

  /** Transactions that read the same state share what was made of it. */
  private volatile @Nullable TreeSnapshot lastSnapshot;

  /**
   * @param random for the pauses after conflicts
   * @param maxAttempts how often a transaction is run
   * @param timeout after which no new attempt is made
   */
  TransactionRunner(
      CommitSequencer sequencer,
      TreePages pages,
      Checkpointer checkpointer,
      Random random,
      int maxAttempts,
      Duration timeout) {
    this.sequencer = sequencer;
    this.pages = pages;
    this.checkpointer = checkpointer;
    this.random = random;
    this.maxAttempts = maxAttempts;
    this.timeoutNanos = timeout.toNanos();
  }

  /** Reads the tree as it is now. */
  TreeSnapshot snapshot() {
    TreeState state = sequencer.read();
    checkpointer.startIfLate(state);
    TreeSnapshot last = lastSnapshot;
    if (last != null && last.state() == state) {
      return last;
    }
    TreeSnapshot snapshot = new TreeSnapshot(state, pages::read);
    lastSnapshot = snapshot;
    return snapshot;
  }

  <T> TreeResult<T> run(String user, Function<? super TreeTransaction, ? extends T> body) {
    long deadline = sequencer.nanoTime() + timeoutNanos;
    TreePath conflict = TreePath.ROOT;
    for (int attempt = 1; attempt <= maxAttempts; attempt++) {
      if (attempt > 1) {
        if (sequencer.nanoTime() >= deadline) {
          throw new TreeException.Conflicts(attempt - 1, conflict);
        }
        pause(attempt);
      }
      TreeTransaction transaction = new TreeTransaction(user, snapshot());
      try {
        T value = body.apply(transaction);
        if (!transaction.hasChanges()) {
          return new TreeResult<>(value, transaction.base(), transaction.base());
        }
        CommitOutcome outcome = commit(transaction, deadline);
        if (outcome.kind() == CommitOutcome.Kind.COMMITTED) {
          return new TreeResult<>(value, transaction.base(), outcome.commit());
        }
        conflict = outcome.path();
      } catch (MissingPageException e) {
        checkLost(transaction.snapshot(), e);
      }
    }
    throw new TreeException.Conflicts(maxAttempts, conflict);
  }

  /** After a conflict, two transactions that conflict again and again get out of step. */
  private void pause(int attempt) {
    long most =
        Math.min(LONGEST_PAUSE_MICROS, FIRST_PAUSE_MICROS << Math.min(attempt, Byte.SIZE * 2));
    sequencer.pause(Duration.ofNanos((long) (random.nextDouble() * most * 1000)));
  }

  /** Returns only a commit or a conflict. */
  private CommitOutcome commit(TreeTransaction transaction, long deadline) {
    while (true) {
      byte[] request = transaction.request().encoded();
      if (request.length > MOST_REQUEST) {
        throw new TreeException.LimitExceeded(
            ("a transaction that writes must have at most %d bytes with the paths that it has read"
                    + " and the owners whose nodes it changes; got %d")
                .formatted(MOST_REQUEST, request.length));
      }
      CommitOutcome outcome = sequencer.commit(request);
      if (outcome.planned()) {
        checkpointer.start();
      }
      switch (outcome.kind()) {
        case TOO_MANY_NODES ->
            throw new TreeException.LimitExceeded(
                "%s would have more nodes than its quota".formatted(outcome.where()));
        case TOO_MANY_BYTES ->
            throw new TreeException.LimitExceeded(
                "the nodes of %s would have more bytes than its quota".formatted(outcome.where()));
        case STALE -> {
          if (!transaction.rebase(snapshot())) {
            return outcome;
          }
        }
        case FULL -> awaitRoom(deadline);
        default -> {
          return outcome;
        }
      }
      if (sequencer.nanoTime() >= deadline) {
        throw new TreeException.NotApplied(
            outcome.kind() == CommitOutcome.Kind.FULL
                ? "the log is full, and no checkpoint was written in time"
                : "transactions of others were committed first until the time was over",
            null);
      }
    }
  }

  /** Waits until a checkpoint has made the log shorter, or until the deadline. */
  private void awaitRoom(long deadline) {
    while (sequencer.nanoTime() < deadline) {
      Runnable change = sequencer.nextChange(FULL_WAIT);
      TreeState state = sequencer.read();
      if (!state.isFull()) {
        return;
      }
      checkpointer.startIfLate(state);
      change.run();
    }
  }

  /** A page may be missing because its checkpoint was replaced long ago: then read again. */
  private void checkLost(TreeSnapshot snapshot, MissingPageException missing) {
    TreeState now = sequencer.read();
    if (now.birth().equals(snapshot.state().birth())
        && now.compare(snapshot.state().last(), snapshot.state().chain()) != CommitComparison.OTHER
        && snapshot.state().checkpoint() >= now.readableFrom()) {
      throw new TreeException.Damaged(String.valueOf(missing.getMessage()), missing);
    }
  }
}
