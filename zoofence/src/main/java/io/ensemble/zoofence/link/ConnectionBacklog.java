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
  record One(
      Supplier<ZooKeeperRequest> request, Consumer<ZooKeeperReply> callback, long untilNanos) {}

  private final ArrayDeque<One> waitingRequests = new ArrayDeque<>();

  void add(Supplier<ZooKeeperRequest> request, Consumer<ZooKeeperReply> callback, long untilNanos) {
    waitingRequests.add(new One(request, callback, untilNanos));
  }

  boolean isEmpty() {
    return waitingRequests.isEmpty();
  }

  One remove() {
    return waitingRequests.remove();
  }

  /** Fails the requests that have waited too long. They certainly had no effect. */
  void expire() {
    long now = System.nanoTime();
    for (One oldest = waitingRequests.peek();
        oldest != null && oldest.untilNanos() - now < 0;
        oldest = waitingRequests.peek()) {
      waitingRequests.remove();
      oldest.callback().accept(ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));
    }
  }

  /** Fails all requests, since there will be no further connection. */
  void end() {
    for (One request = waitingRequests.poll(); request != null; request = waitingRequests.poll()) {
      request.callback().accept(ZooKeeperReply.failed(Code.SESSIONEXPIRED));
    }
  }
}
