package io.ensemble.check.znodes;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import io.ensemble.check.process.CommandException;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

/** Creates the znodes of a trial before it and removes them after it. Used by one thread. */
public final class ZnodeTree implements AutoCloseable {
  private static final long MOMENT_MILLIS = 1_000;
  private static final long PAUSE_MILLIS = 100;

  private final ZnodeLayout layout;
  private final Supplier<ZnodeSession> sessions;
  private final long untilNanos;
  private final List<HistoryOperation> made = new ArrayList<>();
  private final CountDownLatch never = new CountDownLatch(1);
  private ZnodeSession session;

  /**
   * @param sessions supplies a session at first, and another whenever that is over
   * @param longest the time limit of each method
   */
  public ZnodeTree(ZnodeLayout layout, Supplier<ZnodeSession> sessions, Duration longest) {
    this.layout = layout;
    this.sessions = sessions;
    this.untilNanos = System.nanoTime() + longest.toNanos();
    this.session = sessions.get();
  }

  /**
   * Creates the znodes that must exist before clients begin.
   *
   * @return the creations that belong to the history
   * @throws CommandException if they cannot be created
   */
  public List<HistoryOperation> make() throws InterruptedException {
    for (String directory : layout.directories()) {
      create(directory);
    }
    List<ZnodeLayout.LayoutNode> changed =
        layout.orders().stream().flatMap(two -> Stream.of(two.first(), two.second())).toList();
    for (ZnodeLayout.LayoutNode spot : changed) {
      long call = System.nanoTime();
      create(spot.path());
      made.add(
          new HistoryOperation(
              -1 - made.size(),
              spot.path(),
              "create",
              null,
              LongNode.valueOf(0),
              BooleanNode.TRUE,
              call,
              System.nanoTime(),
              HistoryOutcome.OK));
    }
    return made;
  }

  private void create(String path) throws InterruptedException {
    ZnodeResult answer = ZnodeResult.NONE;
    // An earlier call of unknown outcome has had its effect.
    while (!answer.succeeded() && !answer.failedWith(Code.NODEEXISTS)) {
      answer = next(answer, "created: " + path, at -> at.create(path, 0, CreateMode.PERSISTENT));
    }
  }

  /**
   * Removes all znodes.
   *
   * @throws CommandException if they cannot be removed
   */
  public void remove() throws InterruptedException {
    remove(layout.root());
  }

  private void remove(String path) throws InterruptedException {
    ZnodeResult answer = ZnodeResult.NONE;
    // Znodes created meanwhile, or of a session that ends soon, may be below it.
    while (!answer.succeeded() && !answer.failedWith(Code.NONODE)) {
      for (String child : next(answer, "removed: " + path, at -> at.children(path)).children()) {
        remove(path + "/" + child);
      }
      answer = next(answer, "removed: " + path, at -> at.delete(path, -1));
    }
  }

  /**
   * The result of the next call.
   *
   * @param last the result of the call before
   * @throws CommandException if the time limit is reached, or access was denied, which no retry
   *     changes
   */
  private ZnodeResult next(
      ZnodeResult last, String what, Function<ZnodeSession, CompletableFuture<ZnodeResult>> call)
      throws InterruptedException {
    if (last.failedWith(Code.NOAUTH)) {
      throw failure(what, last);
    }
    if (!last.equals(ZnodeResult.NONE)) {
      never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    while (System.nanoTime() - untilNanos < 0) {
      if (session.isExpired()) {
        session.close();
        session = sessions.get();
      }
      if (session.awaitConnected(MOMENT_MILLIS)) {
        return ZnodeSession.await(call.apply(session));
      }
    }
    throw failure(what, last);
  }

  private static CommandException failure(String what, ZnodeResult last) {
    return new CommandException(
        "the znodes of the run cannot be %s; the call ended with %s".formatted(what, last.words()));
  }

  @Override
  public void close() {
    session.close();
  }
}
