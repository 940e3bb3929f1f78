package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.session.routing.RequestSize;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.session.routing.WriteValidator;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
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
 * The sessions that make up a client's session. The session with the administrative ensemble is the
 * authority. A further session exists with each instance that the client uses, created at the first
 * use.
 */
public final class MemberSessions implements InstanceSession.Owner, InstanceClient.Home {
  /** Receives the state changes of the session as a whole. */
  public interface Ends {
    /** The session is established; {@code response} answers the client's handshake. */
    void attached(ByteBuffer response);

    /** The session is over: one of its members has expired. */
    void expired();

    void event(InstanceClient from, ZooKeeperReply event, WatcherEvent what);

    void guardChanged();

    /** The connection cannot continue; the session may continue over another. */
    void broken();
  }

  private static final Logger log = LoggerFactory.getLogger(MemberSessions.class);
  private static final int ADMIN = -1;

  /**
   * The maximum size of all credentials of a client, in bytes; they travel with each of its
   * commands.
   */
  static final int MOST_CREDENTIAL_BYTES = 16 << 10;

  private final RoutingContext routingContext;
  private final EventLoop loop;
  private final Ends ends;
  private final InstanceSession admin;
  private final RoutingView routingView;
  private final int timeoutMillis;
  private final TreeMap<Integer, InstanceClient> instances = new TreeMap<>();
  private final List<AuthPacket> credentials = new ArrayList<>();
  private final SessionOwnership sessionOwnership;
  private boolean attached;
  private @Nullable SessionMailbox mailbox;

  public MemberSessions(
      RoutingContext routingContext, EventLoop loop, Ends ends, ConnectRequest greeting) {
    this.routingContext = routingContext;
    this.loop = loop;
    this.ends = ends;
    this.timeoutMillis = greeting.getTimeOut();
    var identity =
        greeting.getSessionId() == 0
            ? InstanceSession.Identity.NEW
            : new InstanceSession.Identity(greeting.getSessionId(), greeting.getPasswd());
    this.admin =
        new InstanceSession(routingContext.admin(), ADMIN, loop, this, timeoutMillis, identity);
    this.sessionOwnership = new SessionOwnership(routingContext.seats(), loop, admin, ends::broken);
    this.routingView = new RoutingView(routingContext, admin);
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
  public RoutingView chart() {
    return routingView;
  }

  /** The state for the instances that the client has used. */
  public List<InstanceClient> instances() {
    return List.copyOf(instances.values());
  }

  public int timeoutMillis() {
    return attached ? admin.negotiatedMillis() : 0;
  }

  public InstanceSession admin() {
    return admin;
  }

  /** The mailbox of the session's commands; available only after the session is established. */
  SessionMailbox mailbox() {
    SessionMailbox made = mailbox;
    if (made == null) {
      made = new SessionMailbox(admin, routingView, session());
      mailbox = made;
    }
    return made;
  }

  /** Puts a request into the queue of the instances that have to execute it together. */
  public void submit(InstanceSet set, int type, ByteBuffer body, Consumer<ZooKeeperReply> then) {
    List<QueueCommand.Credential> proofs = credentials.stream().map(MemberSessions::proof).toList();
    if (!WriteValidator.fitsQueue(new ZooKeeperRequest(0, type, body), proofs)) {
      then.accept(ZooKeeperReply.failed(Code.MARSHALLINGERROR));
      return;
    }
    mailbox()
        .submit(
            set,
            new QueueCommand(session(), type, body, proofs, routingView.number()),
            routingContext.patienceMillis(),
            then);
  }

  private static QueueCommand.Credential proof(AuthPacket one) {
    return new QueueCommand.Credential(one.getScheme(), ByteBuffer.wrap(one.getAuth()));
  }

  /** The state for an instance, created at the first use. */
  public InstanceClient at(int number) {
    return instances.computeIfAbsent(number, made -> instance(made, InstanceSession.Identity.NEW));
  }

  private InstanceClient instance(int number, InstanceSession.Identity identity) {
    var link =
        new InstanceSession(
            routingContext.instances().get(number),
            number,
            loop,
            this,
            attached ? admin.negotiatedMillis() : timeoutMillis,
            identity);
    return new InstanceClient(this, link, identity.session() != 0);
  }

  public void tick() {
    admin.tick();
    // A request that fails may begin to use another instance.
    List.copyOf(instances.values()).forEach(instanceClient -> instanceClient.link().tick());
    if (attached) {
      mailbox().tick();
    }
  }

  @Override
  public void connected(InstanceSession link, boolean fresh, Consumer<Boolean> ready) {
    if (link != admin) {
      sessionOwnership.check(fresh, () -> at(link.number()).prepare(ready));
    } else if (attached) {
      sessionOwnership.check(
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
    SessionRecords.found(admin, sessionOwnership.mark(), then);
  }

  /** Continues a session that another connection has begun, perhaps through another proxy. */
  private void restore(Consumer<Boolean> ready) {
    Consumer<ZooKeeperReply> then =
        reply -> {
          ready.accept(reply.succeeded());
          if (reply.failedWith(Code.NONODE)) {
            expired(admin);
          } else if (reply.succeeded()) {
            SessionRecords.memberships(reply).forEach(this::restore);
            attach();
            instances.values().forEach(instanceClient -> instanceClient.link().open());
          }
        };
    SessionRecords.take(admin, sessionOwnership.mark(), then);
  }

  private void restore(MemberSessionRecord one) {
    InstanceClient made = instance(one.instance(), one.identity());
    made.link().seen(one.zxid());
    instances.put(one.instance(), made);
  }

  private void attach() {
    attached = true;
    sessionOwnership.take();
    mailbox().connected();
    var response =
        new ConnectResponse(
            0, admin.negotiatedMillis(), session(), admin.identity().password(), false);
    ends.attached(Jute.write(response));
  }

  @Override
  public void remember(Consumer<Boolean> then) {
    byte[] data =
        MemberSessionRecord.write(instances.values().stream().map(InstanceClient::link).toList());
    admin.send(
        () ->
            ZooKeeperRequest.of(
                OpCode.setData, new SetDataRequest(SessionRecords.record(session()), data, -1)),
        routingContext.patienceMillis(),
        reply -> then.accept(reply.succeeded()));
  }

  @Override
  public void guardChanged(InstanceClient instanceClient) {
    ends.guardChanged();
  }

  @Override
  public void event(InstanceSession link, ZooKeeperReply event) {
    var what = Jute.read(event.body(), new WatcherEvent());
    if (what.getPath() == null) {
      return;
    }
    if (link == admin) {
      if (what.getType() == EventType.NodeCreated.getIntValue()
          && mailbox().isHome(what.getPath())) {
        mailbox().take(ZnodePaths.name(what.getPath()));
      }
      return;
    }
    InstanceClient at = at(link.number());
    if (ZooFencePaths.GUARD.equals(what.getPath())) {
      at.guardChanged();
    } else {
      ends.event(at, event, what);
    }
  }

  @Override
  public void broken(InstanceSession link, RuntimeException how) {
    log.error(
        "Closing a session because a response could not be processed; session {}", session(), how);
    ends.broken();
  }

  @Override
  public void expired(InstanceSession link) {
    // An instance that expired the session has removed its ephemeral znodes, so all others have to,
    // too.
    sessionOwnership.leave();
    ends.expired();
    instances.values().forEach(instanceClient -> instanceClient.link().end(true, () -> {}));
    admin.end(true, () -> {});
  }

  /**
   * Sends the client's credential to all instances, and to those that are used later. Later
   * requests of the client are already sent with it.
   */
  public void credential(AuthPacket credential, Consumer<ZooKeeperReply> then) {
    boolean known = credentials.contains(credential);
    if (!known
        && bytes(credentials) + RequestSize.bytes(proof(credential)) > MOST_CREDENTIAL_BYTES) {
      then.accept(ZooKeeperReply.failed(Code.AUTHFAILED));
      return;
    }
    if (!known) {
      credentials.add(credential);
    }
    ZooKeeperRequest proof = ZooKeeperRequest.of(OpCode.auth, credential);
    for (InstanceClient instanceClient : instances.values()) {
      if (instanceClient.link().isGreeted()) {
        instanceClient.link().prepare(proof, told -> {});
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
    return credentials.stream().map(MemberSessions::proof).mapToLong(RequestSize::bytes).sum();
  }

  /** Leaves the session to the connection that continues it. */
  public void leave() {
    sessionOwnership.leave();
    if (attached && !sessionOwnership.isTaken() && admin.isOpen()) {
      remember(done -> admin.end(false, () -> {}));
    } else {
      admin.end(false, () -> {}); // Another connection may already have taken the session.
    }
    instances.values().forEach(instanceClient -> instanceClient.link().end(false, () -> {}));
  }

  /** Ends the session at all instances, and reports whether its znodes are certainly gone. */
  public void end(Consumer<Boolean> then) {
    sessionOwnership.leave();
    new SessionCloser(
            admin,
            mailbox(),
            instances.values(),
            routingView.flattening(),
            routingContext.patienceMillis())
        .run(then);
  }
}
