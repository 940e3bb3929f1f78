package io.ensemble.check.znodes;

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
 * A session of ZooKeeper's own client with the proxies. Calls are sent in the order in which they
 * are made, without waiting for each other. Thread-safe.
 */
public final class ZnodeSession implements AutoCloseable {

  /** The limit of any call: a proxy answers within its patience, or its connection breaks. */
  private static final int LONGEST_SECONDS = 60;

  private final String proxies;
  private final int timeoutMillis;
  private final ZooKeeper client;
  private KeeperState state = KeeperState.Disconnected;

  public ZnodeSession(String proxies, int timeoutMillis) {
    this.proxies = proxies;
    this.timeoutMillis = timeoutMillis;
    try {
      client = new ZooKeeper(proxies, timeoutMillis, this::onEvent);
    } catch (IOException e) {
      throw new UncheckedIOException("no client for " + proxies, e);
    }
  }

  private synchronized void onEvent(WatchedEvent event) {
    state = event.getState();
    notifyAll();
  }

  /** Waits up to {@code millis} until the session is connected; returns whether it is. */
  synchronized boolean awaitConnected(long millis) throws InterruptedException {
    return await(KeeperState.SyncConnected, millis);
  }

  /**
   * Waits up to {@code millis} until the client reports the end of the session; returns whether it
   * has.
   */
  public synchronized boolean awaitExpired(long millis) throws InterruptedException {
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

  synchronized boolean isExpired() {
    return state == KeeperState.Expired;
  }

  int timeoutMillis() {
    return timeoutMillis;
  }

  /** Waits for an answer. */
  static ZnodeResult await(CompletableFuture<ZnodeResult> call) throws InterruptedException {
    try {
      return call.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return ZnodeResult.NONE;
    } catch (ExecutionException e) {
      throw new IllegalStateException("calls must end with a result", e);
    }
  }

  private static byte[] bytes(long value) {
    return Long.toString(value).getBytes(UTF_8);
  }

  /** The value in a znode's data; null for none, and for data that no client writes. */
  static @Nullable Long value(@Nullable String data) {
    try {
      return data == null || data.isEmpty() ? null : Long.valueOf(data);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  CompletableFuture<ZnodeResult> create(String path, long value, CreateMode mode) {
    var answer = new CompletableFuture<ZnodeResult>();
    client.create(
        path,
        bytes(value),
        Ids.OPEN_ACL_UNSAFE,
        mode,
        (code, of, context, name) ->
            answer.complete(new ZnodeResult(code, null, null, name, List.of(), List.of())),
        null);
    return answer;
  }

  CompletableFuture<ZnodeResult> set(String path, long value, int version) {
    var answer = new CompletableFuture<ZnodeResult>();
    client.setData(
        path,
        bytes(value),
        version,
        (code, of, context, stat) -> answer.complete(ZnodeResult.of(code, stat, null)),
        null);
    return answer;
  }

  CompletableFuture<ZnodeResult> delete(String path, int version) {
    var answer = new CompletableFuture<ZnodeResult>();
    client.delete(
        path, version, (code, of, context) -> answer.complete(ZnodeResult.of(code)), null);
    return answer;
  }

  CompletableFuture<ZnodeResult> multi(List<Op> operations) {
    var answer = new CompletableFuture<ZnodeResult>();
    client.multi(
        operations,
        (code, of, context, results) ->
            answer.complete(
                new ZnodeResult(
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

  /** Reads the view of this session, which may be behind others. */
  CompletableFuture<ZnodeResult> peek(String path) {
    var answer = new CompletableFuture<ZnodeResult>();
    client.getData(
        path,
        false,
        (code, of, context, data, stat) -> answer.complete(ZnodeResult.of(code, stat, data)),
        null);
    return answer;
  }

  /** Reads the present state, after a sync. */
  CompletableFuture<ZnodeResult> get(String path) {
    return afterSync(sync(path), peek(path));
  }

  private static CompletableFuture<ZnodeResult> afterSync(
      CompletableFuture<ZnodeResult> sync, CompletableFuture<ZnodeResult> read) {
    return sync.thenCombine(read, (synced, answer) -> synced.succeeded() ? answer : synced);
  }

  private CompletableFuture<ZnodeResult> sync(String path) {
    var answer = new CompletableFuture<ZnodeResult>();
    client.sync(path, (code, of, context) -> answer.complete(ZnodeResult.of(code)), null);
    return answer;
  }

  CompletableFuture<ZnodeResult> exists(String path) {
    CompletableFuture<ZnodeResult> sync = sync(path);
    var answer = new CompletableFuture<ZnodeResult>();
    client.exists(
        path,
        false,
        (code, of, context, stat) -> answer.complete(ZnodeResult.of(code, stat, null)),
        null);
    return afterSync(sync, answer);
  }

  CompletableFuture<ZnodeResult> children(String path) {
    CompletableFuture<ZnodeResult> sync = sync(path);
    var answer = new CompletableFuture<ZnodeResult>();
    client.getChildren(
        path,
        false,
        (code, of, context, names) ->
            answer.complete(
                new ZnodeResult(
                    code, null, null, null, names == null ? List.of() : names, List.of())),
        null);
    return afterSync(sync, answer);
  }

  /**
   * Ends the session from another client with its id and password. This has no effect if that
   * client cannot connect within the session's timeout, because a client that is closed before it
   * has connected ends no session.
   */
  public void expireFromOtherClient() {
    CountDownLatch connected = new CountDownLatch(1);
    try {
      ZooKeeper other =
          new ZooKeeper(
              proxies,
              timeoutMillis,
              event -> {
                if (event.getState() != KeeperState.Disconnected) {
                  connected.countDown();
                }
              },
              client.getSessionId(),
              client.getSessionPasswd());
      try {
        boolean unused = connected.await(timeoutMillis, TimeUnit.MILLISECONDS);
      } finally {
        other.close(timeoutMillis);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no client for " + proxies, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the session, if possible. */
  @Override
  public void close() {
    try {
      client.close(timeoutMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
