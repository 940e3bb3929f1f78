package io.ensemble.deploy.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A session of ZooKeeper's own client with the proxies. Calls go out in the order in which they are
 * made, without waiting for each other. Thread-safe.
 */
final class ZnodeSession implements AutoCloseable {

  /** Nothing takes that long: a proxy answers within its patience, or its connection breaks. */
  private static final int LONGEST_SECONDS = 60;

  private final String proxies;
  private final int timeoutMillis;
  private final ZooKeeper client;
  private KeeperState state = KeeperState.Disconnected;

  ZnodeSession(String proxies, int timeoutMillis) {
    this.proxies = proxies;
    this.timeoutMillis = timeoutMillis;
    try {
      client = new ZooKeeper(proxies, timeoutMillis, this::hear);
    } catch (IOException e) {
      throw new UncheckedIOException("no client of " + proxies, e);
    }
  }

  private synchronized void hear(WatchedEvent event) {
    state = event.getState();
    notifyAll();
  }

  /** Waits so long until it is connected; whether it is. */
  synchronized boolean awaitConnected(long millis) throws InterruptedException {
    return await(KeeperState.SyncConnected, millis);
  }

  /** Waits so long until it is told that it is over; whether it is. */
  synchronized boolean awaitOver(long millis) throws InterruptedException {
    return await(KeeperState.Expired, millis);
  }

  private boolean await(KeeperState wanted, long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (state != wanted && state != KeeperState.Expired && state != KeeperState.Closed) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    return state == wanted;
  }

  synchronized boolean isOver() {
    return state == KeeperState.Expired;
  }

  int timeoutMillis() {
    return timeoutMillis;
  }

  /** Waits for an answer. */
  static ZnodeAnswer heard(CompletableFuture<ZnodeAnswer> call) throws InterruptedException {
    try {
      return call.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return ZnodeAnswer.NONE;
    } catch (ExecutionException e) {
      throw new IllegalStateException("calls end with answers", e);
    }
  }

  private static byte[] bytes(long value) {
    return Long.toString(value).getBytes(UTF_8);
  }

  /** The value in a znode's data; null for none, and for what nobody writes. */
  static @Nullable Long value(@Nullable String data) {
    try {
      return data == null || data.isEmpty() ? null : Long.valueOf(data);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  CompletableFuture<ZnodeAnswer> create(String path, long value, CreateMode mode) {
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.create(
        path,
        bytes(value),
        Ids.OPEN_ACL_UNSAFE,
        mode,
        (code, of, context, name) ->
            answer.complete(new ZnodeAnswer(code, null, null, name, List.of(), List.of())),
        null);
    return answer;
  }

  CompletableFuture<ZnodeAnswer> set(String path, long value, int version) {
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.setData(
        path,
        bytes(value),
        version,
        (code, of, context, stat) -> answer.complete(ZnodeAnswer.of(code, stat, null)),
        null);
    return answer;
  }

  CompletableFuture<ZnodeAnswer> delete(String path, int version) {
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.delete(
        path, version, (code, of, context) -> answer.complete(ZnodeAnswer.of(code)), null);
    return answer;
  }

  CompletableFuture<ZnodeAnswer> multi(List<Op> operations) {
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.multi(
        operations,
        (code, of, context, results) ->
            answer.complete(
                new ZnodeAnswer(
                    code, null, null, null, List.of(), results == null ? List.of() : results)),
        null);
    return answer;
  }

  static Op creating(String path, long value) {
    return Op.create(path, bytes(value), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  static Op setting(String path, long value, int version) {
    return Op.setData(path, bytes(value), version);
  }

  /** As it is for this session, which may be behind others. */
  CompletableFuture<ZnodeAnswer> peek(String path) {
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.getData(
        path,
        false,
        (code, of, context, data, stat) -> answer.complete(ZnodeAnswer.of(code, stat, data)),
        null);
    return answer;
  }

  /** As it is now: behind a sync. */
  CompletableFuture<ZnodeAnswer> get(String path) {
    return behind(sync(path), peek(path));
  }

  private static CompletableFuture<ZnodeAnswer> behind(
      CompletableFuture<ZnodeAnswer> sync, CompletableFuture<ZnodeAnswer> read) {
    return sync.thenCombine(read, (synced, answer) -> synced.succeeded() ? answer : synced);
  }

  private CompletableFuture<ZnodeAnswer> sync(String path) {
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.sync(path, (code, of, context) -> answer.complete(ZnodeAnswer.of(code)), null);
    return answer;
  }

  CompletableFuture<ZnodeAnswer> exists(String path) {
    CompletableFuture<ZnodeAnswer> sync = sync(path);
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.exists(
        path,
        false,
        (code, of, context, stat) -> answer.complete(ZnodeAnswer.of(code, stat, null)),
        null);
    return behind(sync, answer);
  }

  CompletableFuture<ZnodeAnswer> children(String path) {
    CompletableFuture<ZnodeAnswer> sync = sync(path);
    var answer = new CompletableFuture<ZnodeAnswer>();
    client.getChildren(
        path,
        false,
        (code, of, context, names) ->
            answer.complete(
                new ZnodeAnswer(
                    code, null, null, null, names == null ? List.of() : names, List.of())),
        null);
    return behind(sync, answer);
  }

  /**
   * Ends the session as somebody else who has its number and its password, unless they cannot
   * connect within the session's timeout: a client that is closed before it has connected ends
   * nothing.
   */
  void endFromElsewhere() {
    CountDownLatch told = new CountDownLatch(1);
    try {
      ZooKeeper other =
          new ZooKeeper(
              proxies,
              timeoutMillis,
              event -> {
                if (event.getState() != KeeperState.Disconnected) {
                  told.countDown();
                }
              },
              client.getSessionId(),
              client.getSessionPasswd());
      try {
        boolean unused = told.await(timeoutMillis, TimeUnit.MILLISECONDS);
      } finally {
        other.close(timeoutMillis);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no client of " + proxies, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the session, if it can. */
  @Override
  public void close() {
    try {
      client.close(timeoutMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
