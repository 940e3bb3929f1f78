package io.ensemble.zoofence.session;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.Command;
import io.ensemble.zoofence.wire.Guarded;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import io.ensemble.zoofence.wire.Stats;
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
 * One client's session: takes its requests, runs them in their order, and sends the replies. The
 * authority over the session is the administrative ensemble, whose number and password the client
 * gets; with each instance that the client uses there is a session, too, and the end of any of them
 * is the end of all. Confined to its event loop.
 */
public final class Session {
  /** The client's end. */
  public interface Client {
    void send(ByteBuffer frame);

    /** Reads no more requests, or again. */
    void pause(boolean paused);

    void close();
  }

  private static final Request SYNC = Request.of(OpCode.sync, new SyncRequest("/"));

  private final Router router;
  private final EventLoop loop;
  private final Client client;
  private final Order order = new Order();
  private final ArrayDeque<Request> early = new ArrayDeque<>();
  private final Throttle throttle;
  private final Members members;
  private final Chart chart;
  private final GoingOver goingOver;
  private final Outbox outbox;
  private final Admission admission;
  private final Freshness freshness;
  private boolean over;
  private boolean redoing;
  private int unanswered;
  private long lastZxid;

  /** A session whose client sends {@code greeting} first. */
  public Session(Router router, EventLoop loop, Client client, ConnectRequest greeting) {
    this.router = router;
    this.loop = loop;
    this.client = client;
    this.throttle = new Throttle(client);
    this.lastZxid = greeting.getLastZxidSeen();
    this.members = new Members(router, loop, new Ends(), greeting);
    this.freshness = new Freshness(router.reads());
    this.chart = members.chart();
    this.outbox = new Outbox(this::send, order, router.reads());
    this.goingOver =
        new GoingOver(members, router.reads(), order, loop, this::wentOver, client::close);
    this.admission = new Admission(router, members, () -> loop.execute(this::pump));
  }

  /** Takes a request. */
  public void request(Request request) {
    if (over) {
      return;
    }
    if (members.timeoutMillis() == 0) {
      early.add(request); // Clients do not wait for the answer to their greeting.
      throttle.holds(order, early);
      return;
    }
    switch (request.type()) {
      case OpCode.ping -> client.send(Reply.done().addressed(request.xid(), lastZxid).bytes());
      case OpCode.auth -> credential(request);
      default -> {
        order.add(new Task(request, Routes.of(request, chart.flattening(), router.reads())));
        pump();
      }
    }
  }

  private void credential(Request request) {
    members.credential(
        Jute.read(request.body(), new AuthPacket()),
        reply -> {
          answer(request, reply);
          if (!reply.succeeded()) {
            client.close();
          }
        });
  }

  /** Keeps what the session has at each instance alive; called several times in its timeout. */
  public void tick() {
    members.tick();
    boolean overdue = goingOver.isOverdue(router.patienceMillis());
    if ((overdue || admission.isOverdue()) && order.waitsFirst()) {
      answer(order.give().request(), Reply.failed(Code.OPERATIONTIMEOUT));
      admission.release();
    }
  }

  /** The timeout that was granted; 0 before the greeting is answered. */
  public int timeoutMillis() {
    return members.timeoutMillis();
  }

  /** The client's connection is lost; the session may go on over another. */
  public void gone() {
    if (!over) {
      over = true;
      members.leave();
    }
  }

  private void pump() {
    while (!over && !redoing && !goingOver.isDue() && !admission.isHalted()) {
      Task task = order.next(admission::mayRun);
      if (task == null) {
        break;
      }
      run(task);
    }
    if (!over && !redoing) {
      goingOver.begin();
    }
    throttle.holds(order, early);
  }

  private void run(Task task) {
    Route route = task.route();
    if (route instanceof Route.Refused refused) {
      finish(task, Reply.failed(refused.error()));
    } else if (route instanceof Route.Answered answered) {
      finish(task, answered.reply());
    } else if (route instanceof Route.Unknown) {
      answer(task.request(), Reply.failed(Code.UNIMPLEMENTED));
      client.close();
    } else if (route instanceof Route.Read read) {
      if (freshness.wantsSync(read.instance(), order.switched())) {
        int at = read.instance();
        send(at, SYNC, reply -> freshness.answered(at, reply));
      }
      plain(task, read.instance());
    } else if (route instanceof Route.Write write) {
      write(task, write.instance());
    } else if (route instanceof Route.Unguarded write) {
      plain(task, write.instance());
    } else if (route instanceof Route.Command command) {
      submit(task, command.set(), task.request().type(), task.request().body());
    } else if (route instanceof Route.Sync sync) {
      // A transaction of nothing: behind it, all that was ordered before has come everywhere.
      submit(task, sync.set(), OpCode.multi, Jute.write(new MultiOperationRecord()));
    } else if (task.request().type() == OpCode.closeSession) {
      close(task);
    } else {
      new Gathering(members, chart.flattening(), router.reads(), router.patienceMillis())
          .run(task.request(), reply -> finish(task, reply));
    }
  }

  /** Together with the instance's guard. */
  private void write(Task task, int at) {
    Owner owner = asked(task.request(), at);
    freshness.writes(at);
    send(
        at,
        () -> members.at(at).guarded(task.request()),
        true,
        reply -> {
          freshness.answered(at, reply);
          heard(task, at, Guarded.unguarded(reply, task.request().type()), owner);
        });
  }

  /** As it is; what met a lock may be half of a change, or come too late for a move. */
  private void plain(Task task, int instance) {
    Owner owner = asked(task.request(), instance);
    send(
        instance,
        task.request(),
        reply -> {
          if (members.at(instance).isTorn(task.request().path())) {
            redo(instance);
          } else {
            heard(task, instance, reply, owner);
          }
        });
  }

  /** Asks first whose a znode is, where its own stat will not tell. */
  private Owner asked(Request request, int instance) {
    var owner = new Owner();
    boolean stat = Stats.in(request.type()) && !Routes.isCreate(request.type());
    if (stat && Routes.mayBeOwned(request.path(), chart.flattening())) {
      send(instance, Owner.question(request.path()), owner::heard);
    }
    return owner;
  }

  private void send(int instance, Request request, Consumer<Reply> then) {
    send(instance, () -> request, false, then);
  }

  private void send(
      int instance, Supplier<Request> request, boolean guarded, Consumer<Reply> then) {
    unanswered++;
    Consumer<Reply> answered =
        reply -> {
          unanswered--;
          if (redoing || (guarded && Guarded.turnedAway(reply))) {
            redo(instance);
          } else {
            then.accept(reply);
          }
        };
    members.at(instance).link().send(request, router.patienceMillis(), answered);
  }

  private void submit(Task task, InstanceSet set, int type, ByteBuffer body) {
    members.submit(set, type, body, reply -> commanded(task, set, reply));
  }

  private void commanded(Task task, InstanceSet set, Reply reply) {
    if (reply.error() == Command.AGAIN) {
      Reply givenUp = goingOver.turnedAway(task, router.patienceMillis());
      if (givenUp != null) {
        finish(task, givenUp);
      }
      pump();
      return;
    }
    lastZxid = Math.max(lastZxid, reply.zxid());
    freshness.unsettle();
    Flush.of(members, set, SYNC, () -> finish(task, Replies.synced(task.request(), reply)));
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

  /** The guard has changed: what was sent under the old one is sent again, in the same order. */
  private void redo(int instance) {
    redoing = true;
    freshness.unsettle();
    if (unanswered == 0) {
      order.again();
      members
          .at(instance)
          .readGuard(
              read -> {
                redoing = false;
                pump();
              });
    }
  }

  private void heard(Task task, int instance, Reply reply, Owner owned) {
    task.hear();
    Instance at = members.at(instance);
    at.watches().note(task.request(), reply);
    lastZxid = Math.max(lastZxid, Zxids.seen(reply.zxid(), instance));
    new Whose(members, router)
        .told(task.request(), reply, instance, owned, told -> finish(task, told));
  }

  private void finish(Task task, Reply reply) {
    task.reply(reply);
    for (Task first = order.answered(); first != null; first = order.answered()) {
      Reply last = first.reply();
      if (last != null) {
        answer(first.request(), last);
      }
    }
    outbox.follow();
    pump();
  }

  private void answer(Request request, Reply reply) {
    outbox.send(reply.addressed(request.xid(), lastZxid));
  }

  private void close(Task task) {
    members.end(
        gone -> {
          finish(task, gone ? Reply.done() : Reply.failed(Code.OPERATIONTIMEOUT));
          over = true;
          client.close();
        });
  }

  private final class Ends implements Members.Ends {
    @Override
    public void attached(ByteBuffer response) {
      client.send(response);
      for (Request next = early.poll(); next != null; next = early.poll()) {
        request(next);
      }
      pump();
    }

    @Override
    public void expired() {
      if (members.timeoutMillis() == 0) {
        client.send(Jute.write(new ConnectResponse(0, 0, 0, new byte[16], false)));
      }
      over = true;
      client.close();
    }

    @Override
    public void event(Instance from, Reply event, WatcherEvent what) {
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
