package io.ensemble.objects;

import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.record.StateLocation;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait until one object may have changed in a way that matters to them. The state
 * that an event reports saves a read to those callers to which the change does not matter. If
 * events arrive faster than they are processed, the last one counts. Thread-safe.
 */
final class Watchers {

  /** The maximum number of watchers; further callers wait until their time is over. */
  private static final int MOST = 10_000;

  /**
   * A root that was reported.
   *
   * @param root reads it from its entry
   * @param isCertain whether the object certainly had this root
   */
  private record Report(Supplier<ObjectRoot> root, boolean isCertain) {}

  /** The state in a root that was reported. */
  private record ReportedState(Object state, boolean isCertain) {}

  private record Watcher(CompletableFuture<Void> change, @Nullable ReportTest<Object> matters) {}

  private final StateMachine machine;
  private final Executor executor;
  private final Set<Watcher> watchers = new LinkedHashSet<>();
  private Optional<Report> told = Optional.empty();
  private boolean untold;
  private boolean due;
  private boolean closed;

  Watchers(StateMachine machine, Executor executor) {
    this.machine = machine;
    this.executor = executor;
  }

  /**
   * Returns a stage that completes when the object may have changed in a way that matters.
   * Completing the stage removes the watcher.
   *
   * @param matters tests a state that was reported; null where every change matters
   * @return empty if the object is closed here
   */
  Optional<CompletableFuture<Void>> add(@Nullable ReportTest<Object> matters) {
    Watcher watcher = new Watcher(new CompletableFuture<>(), matters);
    synchronized (this) {
      if (closed) {
        return Optional.empty();
      }
      if (watchers.size() < MOST) {
        watchers.add(watcher);
      }
    }
    watcher.change.whenComplete((done, failure) -> remove(watcher));
    return Optional.of(watcher.change);
  }

  private synchronized void remove(Watcher watcher) {
    watchers.remove(watcher);
  }

  /**
   * The object may have changed; {@code entry} is its present or a former root, if the event
   * reported it.
   */
  void changed(Optional<Entry> entry) {
    changedTo(entry.map(e -> new Report(() -> RootCodec.root(e.value()), false)));
  }

  /** The object has changed; {@code root}, which was read, is its present or a former root. */
  void changed(ObjectRoot root) {
    changedTo(Optional.of(new Report(() -> root, true)));
  }

  /** Whether any caller waits. */
  synchronized boolean hasAny() {
    return !watchers.isEmpty();
  }

  private void changedTo(Optional<Report> report) {
    synchronized (this) {
      if (watchers.isEmpty()) {
        return;
      }
      told = report;
      untold |= report.isEmpty();
      if (due) {
        return;
      }
      due = true;
    }
    try {
      executor.execute(this::tell);
    } catch (RejectedExecutionException e) {
      close(); // no further task runs; waiting callers must still be notified
    }
  }

  /** Notifies all watchers, and accepts no further one. */
  void close() {
    List<Watcher> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(watchers);
    }
    all.forEach(this::complete);
  }

  private void tell() {
    Optional<Report> root;
    List<Watcher> all;
    synchronized (this) {
      root = untold ? Optional.empty() : told;
      told = Optional.empty();
      untold = false;
      due = false;
      all = List.copyOf(watchers);
    }
    boolean asked = all.stream().anyMatch(w -> w.matters != null);
    Optional<ReportedState> state = asked ? root.flatMap(this::state) : Optional.empty();
    all.stream().filter(w -> matters(w, state)).forEach(this::complete);
  }

  /**
   * Empty if the state is not in the root, or cannot be read: then watchers must read the object.
   */
  private Optional<ReportedState> state(Report report) {
    try {
      ObjectRoot root = report.root().get();
      return root.body() instanceof StateLocation.Inline inline
          ? Optional.of(new ReportedState(machine.load(inline.state().array()), report.isCertain()))
          : Optional.empty();
    } catch (UnreadableException e) {
      return Optional.empty();
    }
  }

  private static boolean matters(Watcher watcher, Optional<ReportedState> state) {
    try {
      return watcher.matters == null
          || state.isEmpty()
          || watcher.matters.matters(state.get().state(), state.get().isCertain());
    } catch (RuntimeException e) {
      return true; // a reported state may be old; the read that follows decides
    }
  }

  private void complete(Watcher watcher) {
    try {
      watcher.change.completeAsync(() -> null, executor);
    } catch (RejectedExecutionException e) {
      watcher.change.complete(null);
    }
  }
}
