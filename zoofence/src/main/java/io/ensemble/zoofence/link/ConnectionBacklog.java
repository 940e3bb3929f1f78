package io.ensemble.zoofence.link;

import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;

/** Requests that wait for a connection, in their order. */
final class ConnectionBacklog {
  /**
   * One waiting request.
   *
   * @param request supplies the request at the time when it is sent
   */
  record One(Supplier<ZooKeeperRequest> request, Consumer<ZooKeeperReply> then, long untilNanos) {}

  private final ArrayDeque<One> all = new ArrayDeque<>();

  void add(Supplier<ZooKeeperRequest> request, Consumer<ZooKeeperReply> callback, long untilNanos) {
    all.add(new One(request, callback, untilNanos));
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  One remove() {
    return all.remove();
  }

  /** Fails the requests that have waited too long. They certainly had no effect. */
  void expire() {
    long now = System.nanoTime();
    for (One first = all.peek();
        first != null && first.untilNanos() - now < 0;
        first = all.peek()) {
      all.remove();
      first.then().accept(ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));
    }
  }

  /** Fails all requests, since there will be no further connection. */
  void end() {
    for (One one = all.poll(); one != null; one = all.poll()) {
      one.then().accept(ZooKeeperReply.failed(Code.SESSIONEXPIRED));
    }
  }
}
