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
import org.apache.zookeeper.proto.WhoAmIResponse;
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

    void event(InstanceClient from, ZooKeeperReply event, WatcherEvent watcherEvent);

    void guardChanged();

    /** All commands that earlier connections of the session left in the queues have ended. */
    void earlierCommandsEnded();

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
  private final boolean isContinued;
  private boolean isAttached;
  private @Nullable SessionMailbox mailbox;

  public MemberSessions(
      RoutingContext routingContext, EventLoop loop, Ends ends, ConnectRequest connectRequest) {
    this.routingContext = routingContext;
    this.loop = loop;
    this.ends = ends;
    this.timeoutMillis = connectRequest.getTimeOut();
    this.isContinued = connectRequest.getSessionId() != 0;
    var identity =
        isContinued
            ? new InstanceSession.Identity(
                connectRequest.getSessionId(), connectRequest.getPasswd())
            : InstanceSession.Identity.NEW;
    this.admin =
        new InstanceSession(routingContext.admin(), ADMIN, loop, this, timeoutMillis, identity);
    this.sessionOwnership =
        new SessionOwnership(routingContext.sessionOwners(), loop, admin, ends::broken);
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
  public RoutingView routingView() {
    return routingView;
  }

  /** The state for the instances that the client has used. */
  public List<InstanceClient> instances() {
    return List.copyOf(instances.values());
  }

  public int timeoutMillis() {
    return isAttached ? admin.negotiatedMillis() : 0;
  }

  public InstanceSession admin() {
    return admin;
  }

  /**
   * Asks the administrative ensemble for the identities of the client; that of this process is none
   * of them.
   */
  public void readIdentities(Consumer<ZooKeeperReply> callback) {
    admin.send(
        () -> ZooKeeperRequest.bare(OpCode.whoAmI),
        routingContext.requestTimeoutMillis(),
        reply -> callback.accept(reply.succeeded() ? withoutOwn(reply) : reply));
  }

  private ZooKeeperReply withoutOwn(ZooKeeperReply reply) {
    var identities = Jute.read(reply.body(), new WhoAmIResponse()).getClientInfo();
    identities.removeIf(routingContext.access()::isOwn);
    return ZooKeeperReply.done(new WhoAmIResponse(identities));
  }

  /** The mailbox of the session's commands; available only after the session is established. */
  SessionMailbox mailbox() {
    SessionMailbox current = mailbox;
    if (current == null) {
      current =
          new SessionMailbox(
              admin,
              routingView,
              routingContext,
              session(),
              isContinued,
              ends::earlierCommandsEnded);
      mailbox = current;
    }
    return current;
  }

  /**
   * Whether all commands that earlier connections of the session left in the queues are known to
   * have ended. Until then no request of this connection may take effect.
   */
  public boolean areEarlierCommandsEnded() {
    return mailbox().areEarlierCommandsEnded();
  }

  /** Puts a request into the queue of the instances that have to execute it together. */
  public void submit(
      InstanceSet set, int type, ByteBuffer body, Consumer<ZooKeeperReply> callback) {
    List<QueueCommand.Credential> credentialList =
        credentials.stream().map(MemberSessions::toCredential).toList();
    if (!WriteValidator.fitsQueue(new ZooKeeperRequest(0, type, body), credentialList)) {
      callback.accept(ZooKeeperReply.failed(Code.MARSHALLINGERROR));
      return;
    }
    mailbox()
        .submit(
            set,
            new QueueCommand(session(), type, body, credentialList, routingView.number()),
            routingContext.requestTimeoutMillis(),
            callback);
  }

  private static QueueCommand.Credential toCredential(AuthPacket packet) {
    return new QueueCommand.Credential(packet.getScheme(), ByteBuffer.wrap(packet.getAuth()));
  }

  /** The state for an instance, created at the first use. */
  public InstanceClient clientAt(int number) {
    return instances.computeIfAbsent(
        number, key -> createInstance(key, InstanceSession.Identity.NEW));
  }

  private InstanceClient createInstance(int number, InstanceSession.Identity identity) {
    var link =
        new InstanceSession(
            routingContext.instances().get(number),
            number,
            loop,
            this,
            isAttached ? admin.negotiatedMillis() : timeoutMillis,
            identity);
    return new InstanceClient(this, link, identity.session() != 0);
  }

  public void tick() {
    admin.tick();
    // A request that fails may begin to use another instance.
    List.copyOf(instances.values()).forEach(instanceClient -> instanceClient.link().tick());
    if (isAttached) {
      mailbox().tick();
    }
  }

  @Override
  public void connected(InstanceSession link, boolean isFresh, Consumer<Boolean> onReady) {
    if (link == admin) {
      authenticate();
    }
    if (link != admin) {
      sessionOwnership.checkOwnership(isFresh, () -> clientAt(link.number()).prepare(onReady));
    } else if (isAttached) {
      sessionOwnership.checkOwnership(
          isFresh,
          () -> {
            mailbox().handleConnected();
            onReady.accept(true);
          });
    } else if (isFresh) {
      createRecords(onReady);
    } else {
      restore(onReady);
    }
  }

  /**
   * Gives a new connection to the administrative ensemble the access of this process, and the
   * client's credentials, which a former connection had.
   */
  private void authenticate() {
    for (QueueCommand.Credential credential : routingContext.access().credentials()) {
      byte[] proof = new byte[credential.proof().remaining()];
      credential.proof().duplicate().get(proof);
      admin.prepare(
          ZooKeeperRequest.of(OpCode.auth, new AuthPacket(0, credential.scheme(), proof)),
          reply -> {});
    }
    for (AuthPacket credential : credentials) {
      admin.prepare(ZooKeeperRequest.of(OpCode.auth, credential), reply -> {});
    }
  }

  private void createRecords(Consumer<Boolean> onReady) {
    Consumer<Boolean> callback =
        isCreated -> {
          onReady.accept(isCreated);
          if (isCreated) {
            attach();
          }
        };
    SessionRecords.createSession(
        admin, sessionOwnership.ownerMark(), routingContext.access(), callback);
  }

  /** Continues a session that another connection has begun, perhaps through another proxy. */
  private void restore(Consumer<Boolean> onReady) {
    Consumer<ZooKeeperReply> callback =
        reply -> {
          onReady.accept(reply.succeeded());
          if (reply.failedWith(Code.NONODE)) {
            expired(admin);
          } else if (reply.succeeded()) {
            SessionRecords.readRecords(reply).forEach(this::restore);
            attach();
            instances.values().forEach(instanceClient -> instanceClient.link().open());
          }
        };
    SessionRecords.takeOver(admin, sessionOwnership.ownerMark(), callback);
  }

  private void restore(MemberSessionRecord record) {
    InstanceClient instanceClient = createInstance(record.instance(), record.identity());
    instanceClient.link().seen(record.zxid());
    instances.put(record.instance(), instanceClient);
  }

  private void attach() {
    isAttached = true;
    sessionOwnership.registerOwner();
    mailbox().handleConnected();
    var response =
        new ConnectResponse(
            0, admin.negotiatedMillis(), session(), admin.identity().password(), false);
    ends.attached(Jute.write(response));
  }

  @Override
  public void recordSessions(Consumer<Boolean> callback) {
    byte[] data =
        MemberSessionRecord.write(instances.values().stream().map(InstanceClient::link).toList());
    admin.send(
        () ->
            ZooKeeperRequest.of(
                OpCode.setData, new SetDataRequest(SessionRecords.recordPath(session()), data, -1)),
        routingContext.requestTimeoutMillis(),
        reply -> callback.accept(reply.succeeded()));
  }

  @Override
  public void guardChanged(InstanceClient instanceClient) {
    ends.guardChanged();
  }

  @Override
  public void event(InstanceSession link, ZooKeeperReply event) {
    var watcherEvent = Jute.read(event.body(), new WatcherEvent());
    if (watcherEvent.getPath() == null) {
      return;
    }
    if (link == admin) {
      if (watcherEvent.getType() == EventType.NodeCreated.getIntValue()
          && mailbox().isInMailbox(watcherEvent.getPath())) {
        mailbox().deliverOutcome(ZnodePaths.name(watcherEvent.getPath()));
      }
      return;
    }
    InstanceClient client = clientAt(link.number());
    if (ZooFencePaths.GUARD.equals(watcherEvent.getPath())) {
      client.guardChanged();
    } else {
      ends.event(client, event, watcherEvent);
    }
  }

  @Override
  public void broken(InstanceSession link, RuntimeException cause) {
    log.error(
        "Closing a session because a response could not be processed; session {}",
        session(),
        cause);
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
  public void addCredential(AuthPacket credential, Consumer<ZooKeeperReply> callback) {
    boolean isKnown = credentials.contains(credential);
    if (!isKnown
        && bytes(credentials) + RequestSize.bytes(toCredential(credential))
            > MOST_CREDENTIAL_BYTES) {
      callback.accept(ZooKeeperReply.failed(Code.AUTHFAILED));
      return;
    }
    if (!isKnown) {
      credentials.add(credential);
    }
    ZooKeeperRequest authRequest = ZooKeeperRequest.of(OpCode.auth, credential);
    for (InstanceClient instanceClient : instances.values()) {
      if (instanceClient.link().isGreeted()) {
        instanceClient.link().prepare(authRequest, reply -> {});
      }
    }
    admin.prepare(
        authRequest,
        reply -> {
          if (!reply.succeeded() && !isKnown) {
            credentials.remove(credential);
          }
          callback.accept(reply);
        });
  }

  private static long bytes(List<AuthPacket> credentials) {
    return credentials.stream()
        .map(MemberSessions::toCredential)
        .mapToLong(RequestSize::bytes)
        .sum();
  }

  /** Leaves the session to the connection that continues it. */
  public void leave() {
    sessionOwnership.leave();
    if (isAttached && !sessionOwnership.isTaken() && admin.isOpen()) {
      recordSessions(done -> admin.end(false, () -> {}));
    } else {
      admin.end(false, () -> {}); // Another connection may already have taken the session.
    }
    instances.values().forEach(instanceClient -> instanceClient.link().end(false, () -> {}));
  }

  /** Ends the session at all instances, and reports whether its znodes are certainly gone. */
  public void end(Consumer<Boolean> callback) {
    sessionOwnership.leave();
    new SessionCloser(
            admin,
            mailbox(),
            instances.values(),
            routingView.flattening(),
            routingContext.requestTimeoutMillis())
        .run(callback);
  }
}
