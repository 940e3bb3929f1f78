package io.ensemble.tree.runtime;

import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreeEvent;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.TreeListener;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeWatch;
import io.ensemble.tree.state.CommitComparison;
import io.ensemble.tree.state.LoggedCommit;
import io.ensemble.tree.state.ReadableChanges;
import io.ensemble.tree.state.TreeSnapshot;
import io.ensemble.tree.state.WrittenPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watches of a process on one tree. Each change of the sequencer is looked at once, and each
 * watch gets the commits that it concerns, in their order.
 */
public final class TreeWatches {

  private static final Logger LOG = LoggerFactory.getLogger(TreeWatches.class);

  /** One watch, used by the thread of the watches only. */
  private final class Watch implements TreeWatch {
    private final TreePath path;
    private final long since;
    private final TreeListener listener;
    private final Optional<Predicate<NodePermissions>> mayRead;
    private TreeSnapshot seen;
    private String identity;
    private boolean wasReadable;
    private boolean exists;

    Watch(
        TreePath path,
        TreeSnapshot start,
        TreeListener listener,
        Optional<Predicate<NodePermissions>> mayRead) {
      this.path = path;
      this.since = start.state().last();
      this.listener = listener;
      this.mayRead = mayRead;
      this.seen = start;
      this.identity = start.identity(path);
      this.wasReadable = isReadable(start);
      this.exists = start.view().find(path) != null;
    }

    @Override
    public TreePath path() {
      return path;
    }

    @Override
    public long since() {
      return since;
    }

    @Override
    public void close() {
      watches.remove(this);
    }

    /**
     * Reports what is new in a snapshot. All that may fail comes before the first report, so that
     * no commit is reported twice.
     */
    void advance(TreeSnapshot snapshot) {
      long last = snapshot.state().last();
      if (last == seen.state().last() && snapshot.state().chain() == seen.state().chain()) {
        seen = snapshot; // Its pages stay longer.
        return;
      }
      CommitComparison comparison =
          snapshot.state().compare(seen.state().last(), seen.state().chain());
      Optional<List<LoggedCommit>> commits =
          comparison == CommitComparison.SAME
              ? snapshot.state().commitsAfter(seen.state().last())
              : Optional.empty();
      if (exists && commits.isPresent() && commits.get().stream().noneMatch(this::isWithin)) {
        seen = snapshot; // Nothing of this watch has changed.
        return;
      }
      String now = snapshot.identity(path);
      boolean readable = isReadable(snapshot);
      Optional<List<TreeEvent>> known = commits.flatMap(this::events);
      boolean mayBeChanged = comparison == CommitComparison.OTHER || !now.equals(identity);
      List<TreeEvent> events =
          known.orElseGet(
              () ->
                  mayBeChanged && (readable || wasReadable)
                      ? List.of(new TreeEvent(path, last, List.of(), TreeEvent.Kind.GAP))
                      : List.of());
      exists = snapshot.view().find(path) != null; // May fail, as all before it.
      seen = snapshot;
      identity = now;
      wasReadable = readable;
      events.forEach(this::deliver);
    }

    private boolean isReadable(TreeSnapshot snapshot) {
      return mayRead.isEmpty()
          || ReadableChanges.mayReadNearest(snapshot.view(), path, mayRead.get());
    }

    private boolean isWithin(LoggedCommit commit) {
      return commit.paths().stream().anyMatch(written -> written.isWithin(path));
    }

    /**
     * What commits since the last look changed; empty if the pages of the state before them are
     * gone, which say who could read a node.
     */
    private Optional<List<TreeEvent>> events(List<LoggedCommit> commits) {
      List<TreeEvent> events = new ArrayList<>();
      Optional<ReadableChanges> readable =
          mayRead.map(test -> new ReadableChanges(seen.view(), test));
      try {
        for (LoggedCommit commit : commits) {
          List<TreePath> paths =
              readable.isPresent() ? readable.get().next(commit, path) : allPaths(commit);
          if (!paths.isEmpty()) {
            events.add(new TreeEvent(path, commit.number(), paths, TreeEvent.Kind.CHANGE));
          }
        }
      } catch (MissingPageException replaced) {
        return Optional.empty();
      }
      return Optional.of(events);
    }

    private List<TreePath> allPaths(LoggedCommit commit) {
      return commit.paths().stream()
          .filter(written -> written.isWithin(path))
          .map(WrittenPath::path)
          .distinct()
          .toList();
    }

    private void deliver(TreeEvent event) {
      if (!watches.contains(this)) {
        return;
      }
      try {
        listener.changed(event);
      } catch (RuntimeException e) {
        LOG.warn("A listener of a watch failed; path={} commit={}", path, event.commit(), e);
      }
    }
  }

  private final CommitSequencer sequencer;
  private final Supplier<TreeSnapshot> snapshots;
  private final Executor executor;
  private final Duration longest;
  private final List<Watch> watches = new CopyOnWriteArrayList<>();
  private final AtomicBoolean isRunning = new AtomicBoolean();
  private volatile boolean isClosed;

  /**
   * @param snapshots reads the tree as it is now
   * @param executor has a thread for the watches
   * @param longest after which the sequencer is read if no event reported a change
   */
  public TreeWatches(
      CommitSequencer sequencer,
      Supplier<TreeSnapshot> snapshots,
      Executor executor,
      Duration longest) {
    this.sequencer = sequencer;
    this.snapshots = snapshots;
    this.executor = executor;
    this.longest = longest;
  }

  /**
   * Adds a watch.
   *
   * @param mayRead whether changes of a node with these permissions are reported; empty for all
   */
  public TreeWatch add(
      TreePath path, TreeListener listener, Optional<Predicate<NodePermissions>> mayRead) {
    Watch watch = new Watch(path, snapshots.get(), listener, mayRead);
    watches.add(watch);
    start();
    return watch;
  }

  private void start() {
    if (!isClosed && isRunning.compareAndSet(false, true)) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException closed) {
        isRunning.set(false);
      }
    }
  }

  private void run() {
    try {
      while (!isClosed && !watches.isEmpty()) {
        look();
      }
    } catch (TreeException.NoSuchTree deleted) {
      end();
    } catch (RuntimeException e) {
      if (!isClosed) { // A closed factory refuses to wait.
        LOG.warn("Watches have ended", e);
      }
      isClosed = true;
    } finally {
      isRunning.set(false);
      if (!watches.isEmpty()) {
        start();
      }
    }
  }

  private void look() {
    Runnable change = sequencer.nextChange(longest);
    try {
      deliver();
    } catch (TreeException.NoSuchTree deleted) {
      throw deleted;
    } catch (RuntimeException e) {
      LOG.debug("Watches could not read the tree; they will again", e);
    }
    change.run(); // A closed factory refuses to wait, which ends the watches.
  }

  /** Reads the tree once, and reports what is new to each watch. */
  public void deliver() {
    TreeSnapshot snapshot = snapshots.get();
    for (Watch watch : watches) {
      try {
        watch.advance(snapshot);
      } catch (TreeException | MissingPageException e) {
        LOG.debug("A watch could not read the tree; it will again; path={}", watch.path, e);
      }
    }
  }

  /** The tree was deleted: each watch gets a last event. */
  private void end() {
    for (Watch watch : watches) {
      watch.deliver(
          new TreeEvent(
              watch.path, watch.seen.state().last(), List.of(), TreeEvent.Kind.TREE_DELETED));
      watches.remove(watch);
    }
  }

  /** Ends all watches. */
  public void close() {
    isClosed = true;
    watches.clear();
  }
}
