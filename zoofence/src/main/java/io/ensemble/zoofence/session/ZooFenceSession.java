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
  private final ArrayDeque<ZooKeeperRequest> early = new ArrayDeque<>();
  private final Throttle throttle;
  private final MemberSessions memberSessions;
  private final RoutingView routingView;
  private final EpochSwitch epochSwitch;
  private final Outbox outbox;
  private final RequestAdmission admission;
  private final Freshness freshness;
  private boolean over;
  private boolean redoing;
  private int unanswered;
  private long lastZxid;

  /** Creates a session for a client that sends {@code greeting} first. */
  public ZooFenceSession(
      RoutingContext routingContext, EventLoop loop, Client client, ConnectRequest greeting) {
    this.routingContext = routingContext;
    this.loop = loop;
    this.client = client;
    this.throttle = new Throttle(client);
    this.lastZxid = greeting.getLastZxidSeen();
    this.memberSessions = new MemberSessions(routingContext, loop, new Ends(), greeting);
    this.freshness = new Freshness(routingContext.reads());
    this.routingView = memberSessions.chart();
    this.outbox = new Outbox(this::send, order, routingContext.reads());
    this.epochSwitch =
        new EpochSwitch(
            memberSessions, routingContext.reads(), order, loop, this::wentOver, client::close);
    this.admission =
        new RequestAdmission(routingContext, memberSessions, () -> loop.execute(this::pump));
  }

  /** Takes a request. */
  public void request(ZooKeeperRequest request) {
    if (over) {
      return;
    }
    if (memberSessions.timeoutMillis() == 0) {
      // Clients send requests without waiting for the answer to their handshake.
      early.add(request);
      throttle.holds(order, early);
      return;
    }
    switch (request.type()) {
      case OpCode.ping ->
          client.send(ZooKeeperReply.done().addressed(request.xid(), lastZxid).bytes());
      case OpCode.auth -> credential(request);
      default -> {
        order.add(
            new InFlightRequest(
                request,
                RouteFinder.of(request, routingView.flattening(), routingContext.reads())));
        pump();
      }
    }
  }

  private void credential(ZooKeeperRequest request) {
    memberSessions.credential(
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
    boolean overdue = epochSwitch.isOverdue(routingContext.patienceMillis());
    if ((overdue || admission.isOverdue()) && order.waitsFirst()) {
      answer(order.give().request(), ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));
      admission.release();
    }
  }

  /** The granted timeout in milliseconds; 0 before the handshake is answered. */
  public int timeoutMillis() {
    return memberSessions.timeoutMillis();
  }

  /** The client's connection is lost; the session may continue over another connection. */
  public void gone() {
    if (!over) {
      over = true;
      memberSessions.leave();
    }
  }

  private void pump() {
    while (!over && !redoing && !epochSwitch.isDue() && !admission.isHalted()) {
      InFlightRequest task = order.next(admission::mayRun);
      if (task == null) {
        break;
      }
      run(task);
    }
    if (!over && !redoing) {
      epochSwitch.begin();
    }
    throttle.holds(order, early);
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
      if (freshness.wantsSync(read.instance(), order.switched())) {
        int at = read.instance();
        send(at, SYNC, reply -> freshness.answered(at, reply));
      }
      plain(task, read.instance());
    } else if (route instanceof ZnodeRoute.Write write) {
      write(task, write.instance());
    } else if (route instanceof ZnodeRoute.Unguarded write) {
      plain(task, write.instance());
    } else if (route instanceof ZnodeRoute.Command command) {
      submit(task, command.set(), task.request().type(), task.request().body());
    } else if (route instanceof ZnodeRoute.Sync sync) {
      // An empty transaction: when it has ended, all earlier commands have been applied at every
      // instance.
      submit(task, sync.set(), OpCode.multi, Jute.write(new MultiOperationRecord()));
    } else if (task.request().type() == OpCode.closeSession) {
      close(task);
    } else {
      new ScatterGather(
              memberSessions,
              routingView.flattening(),
              routingContext.reads(),
              routingContext.patienceMillis())
          .run(task.request(), reply -> finish(task, reply));
    }
  }

  /** Sends a write together with the check of the instance's guard. */
  private void write(InFlightRequest task, int at) {
    OwnerLookup owner = asked(task.request(), at);
    freshness.writes(at);
    send(
        at,
        () -> memberSessions.at(at).guarded(task.request()),
        true,
        reply -> {
          freshness.answered(at, reply);
          heard(task, at, GuardedWrite.unguarded(reply, task.request().type()), owner);
        });
  }

  /**
   * Sends a request without the guard. A request that met a lock may have seen half of a change, or
   * may have come too late for a move.
   */
  private void plain(InFlightRequest task, int instance) {
    OwnerLookup owner = asked(task.request(), instance);
    send(
        instance,
        task.request(),
        reply -> {
          if (memberSessions.at(instance).isTorn(task.request().path())) {
            redo(instance);
          } else {
            heard(task, instance, reply, owner);
          }
        });
  }

  /** First asks for the owner of a znode, if the znode's own stat does not contain it. */
  private OwnerLookup asked(ZooKeeperRequest request, int instance) {
    var owner = new OwnerLookup();
    boolean stat = StatTranslator.in(request.type()) && !RouteFinder.isCreate(request.type());
    if (stat && RouteFinder.mayBeOwned(request.path(), routingView.flattening())) {
      send(instance, OwnerLookup.question(request.path()), owner::heard);
    }
    return owner;
  }

  private void send(int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    send(instance, () -> request, false, then);
  }

  private void send(
      int instance,
      Supplier<ZooKeeperRequest> request,
      boolean guarded,
      Consumer<ZooKeeperReply> then) {
    unanswered++;
    Consumer<ZooKeeperReply> answered =
        reply -> {
          unanswered--;
          if (redoing || (guarded && GuardedWrite.turnedAway(reply))) {
            redo(instance);
          } else {
            then.accept(reply);
          }
        };
    memberSessions.at(instance).link().send(request, routingContext.patienceMillis(), answered);
  }

  private void submit(InFlightRequest task, InstanceSet set, int type, ByteBuffer body) {
    memberSessions.submit(set, type, body, reply -> commanded(task, set, reply));
  }

  private void commanded(InFlightRequest task, InstanceSet set, ZooKeeperReply reply) {
    if (reply.error() == QueueCommand.AGAIN) {
      ZooKeeperReply timedOut = epochSwitch.turnedAway(task, routingContext.patienceMillis());
      if (timedOut != null) {
        finish(task, timedOut);
      }
      pump();
      return;
    }
    lastZxid = Math.max(lastZxid, reply.zxid());
    freshness.unsettle();
    EventFlush.of(
        memberSessions,
        set,
        SYNC,
        () -> finish(task, ReplyTranslator.synced(task.request(), reply)));
  }

  private void send(ByteBuffer frame) {
    if (!over) {
      client.send(frame);
    }
  }

  private void wentOver() {
    freshness.unsettle();
    outbox.flush();
    admission.release();
    pump();
  }

  /** Sends requests again that were sent under a former version of the guard, in the same order. */
  private void redo(int instance) {
    redoing = true;
    freshness.unsettle();
    if (unanswered == 0) {
      order.again();
      memberSessions
          .at(instance)
          .readGuard(
              read -> {
                redoing = false;
                pump();
              });
    }
  }

  private void heard(InFlightRequest task, int instance, ZooKeeperReply reply, OwnerLookup owned) {
    task.hear();
    InstanceClient at = memberSessions.at(instance);
    at.watches().note(task.request(), reply);
    lastZxid = Math.max(lastZxid, Zxids.seen(reply.zxid(), instance));
    new EphemeralOwners(memberSessions, routingContext)
        .told(task.request(), reply, instance, owned, told -> finish(task, told));
  }

  private void finish(InFlightRequest task, ZooKeeperReply reply) {
    task.reply(reply);
    for (InFlightRequest first = order.answered(); first != null; first = order.answered()) {
      ZooKeeperReply last = first.reply();
      if (last != null) {
        answer(first.request(), last);
      }
    }
    outbox.follow();
    pump();
  }

  private void answer(ZooKeeperRequest request, ZooKeeperReply reply) {
    outbox.send(reply.addressed(request.xid(), lastZxid));
  }

  private void close(InFlightRequest task) {
    memberSessions.end(
        gone -> {
          finish(task, gone ? ZooKeeperReply.done() : ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));
          over = true;
          client.close();
        });
  }

  private final class Ends implements MemberSessions.Ends {
    @Override
    public void attached(ByteBuffer response) {
      client.send(response);
      for (ZooKeeperRequest next = early.poll(); next != null; next = early.poll()) {
        request(next);
      }
      pump();
    }

    @Override
    public void expired() {
      if (memberSessions.timeoutMillis() == 0) {
        client.send(Jute.write(new ConnectResponse(0, 0, 0, new byte[16], false)));
      }
      over = true;
      client.close();
    }

    @Override
    public void event(InstanceClient from, ZooKeeperReply event, WatcherEvent what) {
      outbox.tell(from, event, what);
    }

    @Override
    public void broken() {
      client.close();
    }

    @Override
    public void guardChanged() {
      wentOver();
    }
  }
}
