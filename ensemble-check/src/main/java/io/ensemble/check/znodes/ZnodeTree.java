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

/** The znodes of a trial, made before it and removed after. One thread uses it. */
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
   * @param sessions gives one at first, and another whenever that is over
   * @param longest how long all that is asked of it may take
   */
  public ZnodeTree(ZnodeLayout layout, Supplier<ZnodeSession> sessions, Duration longest) {
    this.layout = layout;
    this.sessions = sessions;
    this.untilNanos = System.nanoTime() + longest.toNanos();
    this.session = sessions.get();
  }

  /**
   * Makes what has to be there before clients begin.
   *
   * @return what of it belongs to the history
   * @throws CommandException if it cannot be made
   */
  public List<HistoryOperation> make() throws InterruptedException {
    for (String directory : layout.directories()) {
      create(directory);
    }
    List<ZnodeLayout.Spot> changed =
        layout.orders().stream().flatMap(two -> Stream.of(two.first(), two.second())).toList();
    for (ZnodeLayout.Spot spot : changed) {
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
    // A call whose outcome nobody knew has had its effect.
    while (!answer.succeeded() && !answer.failedWith(Code.NODEEXISTS)) {
      answer = next(answer, "created: " + path, at -> at.create(path, 0, CreateMode.PERSISTENT));
    }
  }

  /**
   * Removes all.
   *
   * @throws CommandException if it cannot be removed
   */
  public void remove() throws InterruptedException {
    remove(layout.root());
  }

  private void remove(String path) throws InterruptedException {
    ZnodeResult answer = ZnodeResult.NONE;
    // What came meanwhile, or belongs to a session that ends soon, may be below it.
    while (!answer.succeeded() && !answer.failedWith(Code.NONODE)) {
      for (String child : next(answer, "removed: " + path, at -> at.children(path)).children()) {
        remove(path + "/" + child);
      }
      answer = next(answer, "removed: " + path, at -> at.delete(path, -1));
    }
  }

  /**
   * How the next call ended.
   *
   * @param last how the one before did
   * @throws CommandException if there is no more time for it
   */
  private ZnodeResult next(
      ZnodeResult last, String what, Function<ZnodeSession, CompletableFuture<ZnodeResult>> call)
      throws InterruptedException {
    if (!last.equals(ZnodeResult.NONE)) {
      never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    while (System.nanoTime() - untilNanos < 0) {
      if (session.isOver()) {
        session.close();
        session = sessions.get();
      }
      if (session.awaitConnected(MOMENT_MILLIS)) {
        return ZnodeSession.heard(call.apply(session));
      }
    }
    throw new CommandException(
        "what is tried cannot be %s; it ended with %s".formatted(what, last.words()));
  }

  @Override
  public void close() {
    session.close();
  }
}
