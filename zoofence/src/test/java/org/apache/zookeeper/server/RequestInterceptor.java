package org.apache.zookeeper.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.apache.zookeeper.DeleteContainerRequest;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Sees the transactions of a server in this process before the server orders them, and lets the
 * server remove znodes by itself at that moment. Sessions and containers end only by requests of
 * the server, which this class makes.
 */
public final class RequestInterceptor implements RequestProcessor {
  private final RequestProcessor next;
  private final Predicate<Request> passes;

  private RequestInterceptor(RequestProcessor next, Predicate<Request> passes) {
    this.next = next;
    this.passes = passes;
  }

  /**
   * Begins to intercept.
   *
   * @param passes sees each transaction, on a thread of the server; the server gets the transaction
   *     if the result is true
   */
  public static void install(ZooKeeperServer server, Predicate<List<Op>> passes) {
    server.firstProcessor =
        new RequestInterceptor(
            server.firstProcessor,
            request -> request.type != OpCode.multi || passes.test(readOperations(request)));
  }

  private static List<Op> readOperations(Request request) {
    var operations = new ArrayList<Op>();
    request.readRequestRecordNoException(MultiOperationRecord::new).forEach(operations::add);
    return operations;
  }

  /**
   * Begins to observe all requests.
   *
   * @param observer receives the session and the type of each request, on a thread of the server
   */
  public static void observe(ZooKeeperServer server, BiConsumer<Long, Integer> observer) {
    server.firstProcessor =
        new RequestInterceptor(
            server.firstProcessor,
            request -> {
              observer.accept(request.sessionId, request.type);
              return true;
            });
  }

  /** Ends a session, as its expiry does, after the requests that the server has received. */
  public static void expire(ZooKeeperServer server, long session) {
    inject(server, new Request(null, session, 0, OpCode.closeSession, null, null));
  }

  /** Removes a container, as the server's own container manager does. */
  public static void removeContainer(ZooKeeperServer server, String path) {
    inject(
        server,
        new Request(
            null,
            0,
            0,
            OpCode.deleteContainer,
            RequestRecord.fromRecord(new DeleteContainerRequest(path)),
            null));
  }

  private static void inject(ZooKeeperServer server, Request request) {
    RequestProcessor first = server.firstProcessor;
    try {
      (first instanceof RequestInterceptor interceptor ? interceptor.next : first)
          .processRequest(request);
    } catch (RequestProcessorException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void processRequest(Request request) throws RequestProcessorException {
    if (passes.test(request)) {
      next.processRequest(request);
    }
  }

  @Override
  public void shutdown() {
    next.shutdown();
  }
}
