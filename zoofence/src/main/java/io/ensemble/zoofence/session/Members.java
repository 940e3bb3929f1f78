package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.link.Link;
import io.ensemble.zoofence.queue.Command;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.WatcherEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that make up one: with the administrative ensemble, which has the say, and with each
 * instance that the client uses, begun when it first does.
 */
final class Members implements Link.Owner, Instance.Home {
  /** What becomes of the session as a whole. */
  interface Ends {
    /** The session stands; these bytes answer the client's greeting. */
    void attached(ByteBuffer response);

    /** The session is over: one of its members has expired. */
    void expired();

    void event(Instance from, Reply event, WatcherEvent what);

    void guardChanged();

    /** The connection cannot go on; the session may, over another. */
    void broken();
  }

  private static final Logger log = LoggerFactory.getLogger(Members.class);
  private static final int ADMIN = -1;

  /** All that a client proves itself with: it goes with each of its commands. */
  static final int MOST_CREDENTIAL_BYTES = 16 << 10;

  private final Router router;
  private final EventLoop loop;
  private final Ends ends;
  private final Link admin;
  private final Chart chart;
  private final int timeoutMillis;
  private final TreeMap<Integer, Instance> instances = new TreeMap<>();
  private final List<AuthPacket> credentials = new ArrayList<>();
  private final Seat seat;
  private boolean attached;
  private @Nullable Mailbox mailbox;

  Members(Router router, EventLoop loop, Ends ends, ConnectRequest greeting) {
    this.router = router;
    this.loop = loop;
    this.ends = ends;
    this.timeoutMillis = greeting.getTimeOut();
    var identity =
        greeting.getSessionId() == 0
            ? Link.Identity.NEW
            : new Link.Identity(greeting.getSessionId(), greeting.getPasswd());
    this.admin = new Link(router.admin(), ADMIN, loop, this, timeoutMillis, identity);
    this.seat = new Seat(router.seats(), loop, admin, ends::broken);
    this.chart = new Chart(router, admin);
    admin.open();
  }

  @Override
  public long session() {
    return admin.identity().session();
  }

  @Override
  public List<AuthPacket> credentials() {
    return credentials;
  }

  @Override
  public Chart chart() {
    return chart;
  }

  /** The session's sides of the instances that the client has used. */
  List<Instance> instances() {
    return List.copyOf(instances.values());
  }

  int timeoutMillis() {
    return attached ? admin.negotiatedMillis() : 0;
  }

  Link admin() {
    return admin;
  }

  /** The session's commands; there are none before the session stands. */
  Mailbox mailbox() {
    Mailbox made = mailbox;
    if (made == null) {
      made = new Mailbox(admin, chart, session());
      mailbox = made;
    }
    return made;
  }

  /** Puts a request into the queue of the instances that have to carry it out together. */
  void submit(InstanceSet set, int type, ByteBuffer body, Consumer<Reply> then) {
    List<Command.Credential> proofs = credentials.stream().map(Members::proof).toList();
    if (!Writes.fitsQueue(new Request(0, type, body), proofs)) {
      then.accept(Reply.failed(Code.MARSHALLINGERROR));
      return;
    }
    mailbox()
        .submit(
            set,
            new Command(session(), type, body, proofs, chart.number()),
            router.patienceMillis(),
            then);
  }

  private static Command.Credential proof(AuthPacket one) {
    return new Command.Credential(one.getScheme(), ByteBuffer.wrap(one.getAuth()));
  }

  /** The session's side of an instance, made when it is first asked for. */
  Instance at(int number) {
    return instances.computeIfAbsent(number, made -> instance(made, Link.Identity.NEW));
  }

  private Instance instance(int number, Link.Identity identity) {
    var link =
        new Link(
            router.instances().get(number),
            number,
            loop,
            this,
            attached ? admin.negotiatedMillis() : timeoutMillis,
            identity);
    return new Instance(this, link, identity.session() != 0);
  }

  void tick() {
    admin.tick();
    // What gives up may begin to use another instance.
    List.copyOf(instances.values()).forEach(instance -> instance.link().tick());
    if (attached) {
      mailbox().tick();
    }
  }

  @Override
  public void connected(Link link, boolean fresh, Consumer<Boolean> ready) {
    if (link != admin) {
      seat.check(fresh, () -> at(link.number()).prepare(ready));
    } else if (attached) {
      seat.check(
          fresh,
          () -> {
            mailbox().connected();
            ready.accept(true);
          });
    } else if (fresh) {
      found(ready);
    } else {
      restore(ready);
    }
  }

  private void found(Consumer<Boolean> ready) {
    Consumer<Boolean> then =
        founded -> {
          ready.accept(founded);
          if (founded) {
            attach();
          }
        };
    Enrolment.found(admin, seat.mark(), then);
  }

  /** Goes on with a session that another connection has begun, perhaps through another proxy. */
  private void restore(Consumer<Boolean> ready) {
    Consumer<Reply> then =
        reply -> {
          ready.accept(reply.succeeded());
          if (reply.failedWith(Code.NONODE)) {
            expired(admin);
          } else if (reply.succeeded()) {
            Enrolment.memberships(reply).forEach(this::restore);
            attach();
            instances.values().forEach(instance -> instance.link().open());
          }
        };
    Enrolment.take(admin, seat.mark(), then);
  }

  private void restore(Membership one) {
    Instance made = instance(one.instance(), one.identity());
    made.link().seen(one.zxid());
    instances.put(one.instance(), made);
  }

  private void attach() {
    attached = true;
    seat.take();
    mailbox().connected();
    var response =
        new ConnectResponse(
            0, admin.negotiatedMillis(), session(), admin.identity().password(), false);
    ends.attached(Jute.write(response));
  }

  @Override
  public void remember(Consumer<Boolean> then) {
    byte[] data = Membership.write(instances.values().stream().map(Instance::link).toList());
    admin.send(
        () -> Request.of(OpCode.setData, new SetDataRequest(Enrolment.record(session()), data, -1)),
        router.patienceMillis(),
        reply -> then.accept(reply.succeeded()));
  }

  @Override
  public void guardChanged(Instance instance) {
    ends.guardChanged();
  }

  @Override
  public void event(Link link, Reply event) {
    var what = Jute.read(event.body(), new WatcherEvent());
    if (what.getPath() == null) {
      return;
    }
    if (link == admin) {
      if (what.getType() == EventType.NodeCreated.getIntValue()
          && mailbox().isHome(what.getPath())) {
        mailbox().take(Paths.name(what.getPath()));
      }
      return;
    }
    Instance at = at(link.number());
    if (Names.GUARD.equals(what.getPath())) {
      at.guardChanged();
    } else {
      ends.event(at, event, what);
    }
  }

  @Override
  public void broken(Link link, RuntimeException how) {
    log.error("A session ends, as an answer could not be taken; session {}", session(), how);
    ends.broken();
  }

  @Override
  public void expired(Link link) {
    // An instance that forgot the session has removed its ephemeral znodes: so do all others.
    seat.leave();
    ends.expired();
    instances.values().forEach(instance -> instance.link().end(true, () -> {}));
    admin.end(true, () -> {});
  }

  /**
   * Proves the client's identity to all, and to those that are used later. What the client sends
   * behind it is in its name already.
   */
  void credential(AuthPacket credential, Consumer<Reply> then) {
    boolean known = credentials.contains(credential);
    if (!known && bytes(credentials) + Bulk.bytes(proof(credential)) > MOST_CREDENTIAL_BYTES) {
      then.accept(Reply.failed(Code.AUTHFAILED));
      return;
    }
    if (!known) {
      credentials.add(credential);
    }
    Request proof = Request.of(OpCode.auth, credential);
    for (Instance instance : instances.values()) {
      if (instance.link().isGreeted()) {
        instance.link().prepare(proof, told -> {});
      }
    }
    admin.prepare(
        proof,
        reply -> {
          if (!reply.succeeded() && !known) {
            credentials.remove(credential);
          }
          then.accept(reply);
        });
  }

  private static long bytes(List<AuthPacket> credentials) {
    return credentials.stream().map(Members::proof).mapToLong(Bulk::bytes).sum();
  }

  /** Leaves the session to whoever goes on with it. */
  void leave() {
    seat.leave();
    if (attached && !seat.isTaken() && admin.isOpen()) {
      remember(done -> admin.end(false, () -> {}));
    } else {
      admin.end(false, () -> {}); // Whoever goes on with the session may have it by now.
    }
    instances.values().forEach(instance -> instance.link().end(false, () -> {}));
  }

  /** Ends the session everywhere, and tells whether its znodes are certainly gone. */
  void end(Consumer<Boolean> then) {
    seat.leave();
    new Closing(admin, mailbox(), instances.values(), chart.flattening(), router.patienceMillis())
        .run(then);
  }
}
