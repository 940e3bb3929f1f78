package io.ensemble.zoofence.session;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.session.instance.OwnerLookup;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.GuardedWrite;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.StatTranslator;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.ensemble.zoofence.wire.Zxids;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.SyncRequest;
import org.apache.zookeeper.proto.WatcherEvent;

/**
 * One client's session: takes the client's requests, runs them in their order, and sends the
 * replies. The administrative ensemble is the authority over the session; the client gets the
 * session number and password of that ensemble. With each instance that the client uses there is a
 * further session, and the end of any of them is the end of all. Confined to its event loop.
 */
public final class ZooFenceSession {
  /** The connection to the client. */
  public interface Client {
    void send(ByteBuffer frame);

    /** Stops reading requests, or resumes. */
    void pause(boolean paused);

    void close();
  }

  private static final ZooKeeperRequest SYNC =
      ZooKeeperRequest.of(OpCode.sync, new SyncRequest("/"));

  private final RoutingContext routingContext;
  private final EventLoop loop;
  private final Client client;
  private final RequestOrder order = new RequestOrder();
  private final ArrayDeque<ZooKeeperRequest> earlyRequests = new ArrayDeque<>();
  private final Throttle throttle;
  private final MemberSessions memberSessions;
  private final RoutingView routingView;
  private final EpochSwitch epochSwitch;
  private final Outbox outbox;
  private final RequestAdmission admission;
  private final Freshness freshness;
  private boolean isClosed;
  private boolean isRedoing;
  private boolean isLost;
  private boolean isRunning;
  private boolean mustRunAgain;
  private int unansweredCount;
  private long lastZxid;

  /** Creates a session for a client that sends {@code connectRequest} first. */
  public ZooFenceSession(
      RoutingContext routingContext, EventLoop loop, Client client, ConnectRequest connectRequest) {
    this.routingContext = routingContext;
    this.loop = loop;
    this.client = client;
    this.throttle = new Throttle(client);
    this.lastZxid = connectRequest.getLastZxidSeen();
    this.memberSessions = new MemberSessions(routingContext, loop, new Ends(), connectRequest);
    this.freshness = new Freshness(routingContext.readPreference());
    this.routingView = memberSessions.routingView();
    this.outbox = new Outbox(this::send, order, routingContext.readPreference());
    this.epochSwitch =
        new EpochSwitch(
            memberSessions,
            routingContext.readPreference(),
            order,
            loop,
            this::handleEpochSwitch,
            client::close);
    this.admission =
        new RequestAdmission(routingContext, memberSessions, () -> loop.execute(this::runRequests));
  }

  /** Takes a request. */
  public void request(ZooKeeperRequest request) {
    if (isClosed || isLost) {
      return;
    }
    if (memberSessions.timeoutMillis() == 0) {
      // Clients send requests without waiting for the answer to their handshake.
      earlyRequests.add(request);
      throttle.update(order, earlyRequests);
      return;
    }
    switch (request.type()) {
      case OpCode.ping ->
          client.send(ZooKeeperReply.done().addressed(request.xid(), lastZxid).bytes());
      case OpCode.auth -> addCredential(request);
      default -> {
        order.add(
            new InFlightRequest(
                request,
                RouteFinder.of(
                    request, routingView.flattening(), routingContext.readPreference())));
        runRequests();
      }
    }
  }

  private void addCredential(ZooKeeperRequest request) {
    memberSessions.addCredential(
        Jute.read(request.body(), new AuthPacket()),
        reply -> {
          answer(request, reply);
          if (!reply.succeeded()) {
            client.close();
          }
        });
  }

  /** Keeps the sessions at the instances alive; called several times within the timeout. */
  public void tick() {
    memberSessions.tick();
    admission.tick();
    boolean isOverdue = epochSwitch.isOverdue(routingContext.requestTimeoutMillis());
    if ((isOverdue || admission.isOverdue()) && order.isHeadWaiting()) {
      answer(order.removeFirst().request(), ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));
      admission.release();
    }
  }

  /** The granted timeout in milliseconds; 0 before the handshake is answered. */
  public int timeoutMillis() {
    return memberSessions.timeoutMillis();
  }

  /** The client's connection is lost; the session may continue over another connection. */
  public void handleDisconnect() {
    if (!isClosed) {
      isClosed = true;
      memberSessions.leave();
    }
  }

  /**
   * Runs the requests that may run. A request that is answered immediately calls this method again;
   * the outermost call then goes on, so that the depth of the stack does not grow with the number
   * of such requests.
   */
  private void runRequests() {
    mustRunAgain = true;
    if (isRunning) {
      return;
    }
    isRunning = true;
    try {
      while (mustRunAgain) {
        mustRunAgain = false;
        runAdmissible();
      }
    } finally {
      isRunning = false;
    }
  }

  private void runAdmissible() {
    while (!isClosed && !isLost && !isRedoing && !epochSwitch.isDue() && !admission.isHalted()) {
      InFlightRequest task = order.next(admission::canRun);
      if (task == null) {
        break;
      }
      run(task);
    }
    if (!isClosed && !isRedoing) {
      epochSwitch.begin();
    }
    throttle.update(order, earlyRequests);
  }

  private void run(InFlightRequest task) {
    ZnodeRoute route = task.route();
    if (route instanceof ZnodeRoute.Refused refused) {
      finish(task, ZooKeeperReply.failed(refused.error()));
    } else if (route instanceof ZnodeRoute.Answered answered) {
      finish(task, answered.reply());
    } else if (route instanceof ZnodeRoute.Unknown) {
      answer(task.request(), ZooKeeperReply.failed(Code.UNIMPLEMENTED));
      client.close();
    } else if (route instanceof ZnodeRoute.Read read) {
      if (freshness.isSyncNeeded(read.instance(), order.hasSwitched())) {
        int instance = read.instance();
        send(instance, SYNC, reply -> freshness.recordReply(instance, reply));
      }
      sendPlain(task, read.instance());
    } else if (route instanceof ZnodeRoute.Write write) {
      sendWrite(task, write.instance());
    } else if (route instanceof ZnodeRoute.Unguarded write) {
      sendPlain(task, write.instance());
    } else if (route instanceof ZnodeRoute.Command command) {
      submit(task, command.set(), task.request().type(), task.request().body());
    } else if (route instanceof ZnodeRoute.Sync sync) {
      // An empty transaction: when it has ended, all earlier commands have been applied at every
      // instance.
      submit(task, sync.set(), OpCode.multi, Jute.write(new MultiOperationRecord()));
    } else if (task.request().type() == OpCode.closeSession) {
      closeSession(task);
    } else {
      new ScatterGather(
              memberSessions,
              routingView.flattening(),
              routingContext.readPreference(),
              routingContext.requestTimeoutMillis())
          .run(task.request(), reply -> finish(task, reply));
    }
  }

  /** Sends a write together with the check of the instance's guard. */
  private void sendWrite(InFlightRequest task, int instance) {
    OwnerLookup owner = readOwner(task.request(), instance);
    freshness.recordWrite(instance);
    send(
        instance,
        () -> memberSessions.clientAt(instance).toGuardedWrite(task.request()),
        true,
        reply -> {
          freshness.recordReply(instance, reply);
          handleReply(task, instance, GuardedWrite.unguarded(reply, task.request().type()), owner);
        });
  }

  /**
   * Sends a request without the guard. A request that met a lock may have seen half of a change, or
   * may have come too late for a move.
   */
  private void sendPlain(InFlightRequest task, int instance) {
    OwnerLookup owner = readOwner(task.request(), instance);
    send(
        instance,
        task.request(),
        reply -> {
          if (memberSessions.clientAt(instance).isTorn(task.request().path())) {
            resend(instance);
          } else {
            handleReply(task, instance, reply, owner);
          }
        });
  }

  /** First asks for the owner of a znode, if the znode's own stat does not contain it. */
  private OwnerLookup readOwner(ZooKeeperRequest request, int instance) {
    var owner = new OwnerLookup();
    boolean hasStat = StatTranslator.in(request.type()) && !RouteFinder.isCreate(request.type());
    if (hasStat && RouteFinder.canBeOwned(request.path(), routingView.flattening())) {
      send(instance, OwnerLookup.createRequest(request.path()), owner::recordReply);
    }
    return owner;
  }

  private void send(int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    send(instance, () -> request, false, callback);
  }

  private void send(
      int instance,
      Supplier<ZooKeeperRequest> request,
      boolean isGuarded,
      Consumer<ZooKeeperReply> callback) {
    unansweredCount++;
    Consumer<ZooKeeperReply> handler =
        reply -> {
          unansweredCount--;
          if (isRedoing || (isGuarded && GuardedWrite.turnedAway(reply))) {
            resend(instance);
          } else {
            callback.accept(reply);
          }
        };
    memberSessions
        .clientAt(instance)
        .link()
        .send(request, routingContext.requestTimeoutMillis(), handler);
  }

  private void submit(InFlightRequest task, InstanceSet set, int type, ByteBuffer body) {
    memberSessions.submit(set, type, body, reply -> handleOutcome(task, set, reply));
  }

  private void handleOutcome(InFlightRequest task, InstanceSet set, ZooKeeperReply reply) {
    if (reply.error() == QueueCommand.AGAIN) {
      ZooKeeperReply timedOut =
          epochSwitch.handleRefusal(task, routingContext.requestTimeoutMillis());
      if (timedOut != null) {
        finish(task, timedOut);
      }
      runRequests();
      return;
    }
    if (reply.failedWith(Code.CONNECTIONLOSS)) {
      loseConnection();
      return;
    }
    lastZxid = Math.max(lastZxid, reply.zxid());
    freshness.requireSync();
    EventFlush.awaitEvents(
        memberSessions,
        set,
        SYNC,
        () -> finish(task, ReplyTranslator.toSyncReply(task.request(), reply)));
  }

  /**
   * Closes the client's connection, because a command has no outcome and may still be executed. The
   * client then gets {@code CONNECTIONLOSS} for all requests without a reply, as from a server that
   * dies, and its next connection waits for the command.
   */
  private void loseConnection() {
    isLost = true;
    client.close();
  }

  private void send(ByteBuffer frame) {
    if (!isClosed) {
      client.send(frame);
    }
  }

  private void handleEpochSwitch() {
    freshness.requireSync();
    outbox.flushHeld();
    admission.release();
    runRequests();
  }

  /** Sends requests again that were sent under a former version of the guard, in the same order. */
  private void resend(int instance) {
    isRedoing = true;
    freshness.requireSync();
    if (unansweredCount == 0) {
      order.requeueRunning();
      memberSessions
          .clientAt(instance)
          .readGuard(
              ignored -> {
                isRedoing = false;
                runRequests();
              });
    }
  }

  private void handleReply(
      InFlightRequest task, int instance, ZooKeeperReply reply, OwnerLookup ownerLookup) {
    task.markFinal();
    InstanceClient client = memberSessions.clientAt(instance);
    client.watches().recordReply(task.request(), reply);
    lastZxid = Math.max(lastZxid, Zxids.seen(reply.zxid(), instance));
    new EphemeralOwners(memberSessions, routingContext)
        .replaceOwner(
            task.request(), reply, instance, ownerLookup, translated -> finish(task, translated));
  }

  private void finish(InFlightRequest task, ZooKeeperReply reply) {
    task.setReply(reply);
    for (InFlightRequest first = order.pollAnswered();
        first != null;
        first = order.pollAnswered()) {
      ZooKeeperReply last = first.reply();
      if (last != null) {
        answer(first.request(), last);
      }
    }
    outbox.flushEvents();
    runRequests();
  }

  private void answer(ZooKeeperRequest request, ZooKeeperReply reply) {
    outbox.send(reply.addressed(request.xid(), lastZxid));
  }

  private void closeSession(InFlightRequest task) {
    memberSessions.end(
        isGone -> {
          finish(
              task, isGone ? ZooKeeperReply.done() : ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));
          isClosed = true;
          client.close();
        });
  }

  private final class Ends implements MemberSessions.Ends {
    @Override
    public void attached(ByteBuffer response) {
      client.send(response);
      for (ZooKeeperRequest next = earlyRequests.poll();
          next != null;
          next = earlyRequests.poll()) {
        request(next);
      }
      runRequests();
    }

    @Override
    public void expired() {
      if (memberSessions.timeoutMillis() == 0) {
        client.send(Jute.write(new ConnectResponse(0, 0, 0, new byte[16], false)));
      }
      isClosed = true;
      client.close();
    }

    @Override
    public void event(InstanceClient from, ZooKeeperReply event, WatcherEvent watcherEvent) {
      outbox.sendEvent(from, event, watcherEvent);
    }

    @Override
    public void broken() {
      client.close();
    }

    @Override
    public void guardChanged() {
      handleEpochSwitch();
    }

    @Override
    public void earlierCommandsEnded() {
      admission.release();
    }
  }
}
