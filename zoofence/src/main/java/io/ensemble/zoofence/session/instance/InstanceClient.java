package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.wire.GuardedWrite;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SetWatches2;
import org.jspecify.annotations.Nullable;

/** A session's state for one instance: its connection, its watches there, and the guard. */
public final class InstanceClient {
  /** The calls of an instance client to its session. */
  public interface Home {
    long session();

    List<AuthPacket> credentials();

    /** Records the session that each instance has given, so that another process can continue. */
    void recordSessions(Consumer<Boolean> callback);

    public void guardChanged(InstanceClient instanceClient);

    RoutingView routingView();
  }

  private static final int REMEMBERED = 10_000;

  private final Home host;
  private final InstanceSession instanceSession;
  private final Watches watches = new Watches();
  private InstanceGuard guard = InstanceGuard.UNKNOWN;
  private boolean isStale;
  private int lastReadNumber;
  private int epoch;
  private long switchedZxid;
  private Flattening flattening;
  private final List<SetWatches2> pendingWatches = new ArrayList<>();
  private boolean isMarked;
  private final Set<String> plainPaths = new HashSet<>();
  private int plainGuardVersion = InstanceGuard.UNKNOWN.version();

  /**
   * @param isMarked whether the instance's session is recorded already
   */
  public InstanceClient(Home host, InstanceSession instanceSession, boolean isMarked) {
    this.host = host;
    this.instanceSession = instanceSession;
    this.flattening = host.routingView().flattening();
    this.isMarked = isMarked;
  }

  public InstanceSession link() {
    return instanceSession;
  }

  public Watches watches() {
    return watches;
  }

  /**
   * The guard, if the requests were routed by the instance's flattening epoch; otherwise an unknown
   * guard.
   */
  public InstanceGuard guard() {
    return isAhead() ? InstanceGuard.UNKNOWN : guard;
  }

  /**
   * The version of the guard that a write of these paths has to check. If the write must not happen
   * now, a version that never exists. After a wait for a connection, the locks may differ from
   * those at the time of the request.
   */
  public int guardVersionFor(List<String> paths) {
    return isStale() || paths.stream().anyMatch(guard.locks()::isLocked)
        ? InstanceGuard.UNKNOWN.version()
        : guard.version();
  }

  /** A write together with the check of the current guard. */
  public ZooKeeperRequest toGuardedWrite(ZooKeeperRequest write) {
    return GuardedWrite.guarded(
        write, ZooFencePaths.GUARD, guardVersionFor(RouteFinder.paths(write)));
  }

  /** Whether the instance uses a later flattening epoch than the session. */
  private boolean isAhead() {
    return epoch > host.routingView().number();
  }

  /** The flattening in force when the instance sent its last events. */
  public Flattening flattening() {
    return flattening;
  }

  /** The guard has changed and is not yet read again: the locks are unknown. */
  public void guardChanged() {
    isStale = true;
    readGuard(ignored -> {});
  }

  /**
   * Whether the guard has changed and is not yet read again, or the session has to switch its epoch
   * first.
   */
  public boolean isStale() {
    return isStale || isAhead();
  }

  /** Whether a read of a path may show only one part of a change across instances. */
  public boolean isTorn(String path) {
    return isStale() || guard.locks().isLocked(path);
  }

  /** Prepares a new connection for the session's requests. */
  public void prepare(Consumer<Boolean> onReady) {
    for (AuthPacket credential : host.credentials()) {
      instanceSession.prepare(ZooKeeperRequest.of(OpCode.auth, credential), reply -> {});
    }
    Consumer<Boolean> afterMark =
        isMarkRead -> readGuard(isRead -> onReady.accept(isMarkRead && isRead));
    if (isMarked) {
      // The guard comes first: without it, the events of watches that fire now cannot be judged.
      readGuard(
          isRead -> {
            for (ZooKeeperRequest request : watches.toRequests(instanceSession.lastZxid())) {
              instanceSession.prepare(request, reply -> {});
            }
            onReady.accept(isRead);
          });
      return;
    }
    instanceSession.prepare(
        createMark(),
        reply -> {
          if (reply.succeeded() || reply.failedWith(Code.NODEEXISTS)) {
            host.recordSessions(
                isWritten -> {
                  isMarked = isWritten;
                  afterMark.accept(isWritten);
                });
          } else {
            onReady.accept(false);
          }
        });
  }

  /**
   * Records at this instance the client session to which the instance's session belongs, as long as
   * that session lives.
   */
  private ZooKeeperRequest createMark() {
    return ZooKeeperRequest.of(
        OpCode.create,
        new CreateRequest(
            ZnodePaths.child(
                ZooFencePaths.OWNERS, ZooFencePaths.hex(instanceSession.identity().session())),
            ByteBuffer.allocate(Long.BYTES).putLong(host.session()).array(),
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.EPHEMERAL.toFlag()));
  }

  /** Reads the guard, and sets a watch for its next change. */
  public void readGuard(Consumer<Boolean> callback) {
    int readNumber = ++lastReadNumber;
    instanceSession.prepare(
        ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(ZooFencePaths.GUARD, true)),
        reply -> {
          if (reply.succeeded()) {
            var response = Jute.read(reply.body(), new GetDataResponse());
            guard =
                new InstanceGuard(
                    response.getStat().getVersion(),
                    InstanceLocks.read(ByteBuffer.wrap(response.getData())));
          }
        });
    // Read after the guard: the number is as new as that guard, or the guard changes once more.
    instanceSession.prepare(
        ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(ZooFencePaths.EPOCH, false)),
        reply -> {
          if (reply.succeeded()) {
            var response = Jute.read(reply.body(), new GetDataResponse());
            epoch = parseNumber(response.getData());
            switchedZxid = response.getStat().getMzxid();
            host.routingView().recordNumber(epoch);
            isStale &= readNumber != lastReadNumber;
            switchEpoch();
          }
          callback.accept(reply.succeeded());
          host.guardChanged(this);
        });
  }

  private static int parseNumber(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    return text.isEmpty() ? 0 : Integer.parseInt(text);
  }

  /** Switches to the session's epoch, if the instance uses the same one. */
  public void switchEpoch() {
    if (epoch != host.routingView().number()) {
      return;
    }
    flattening = host.routingView().flattening();
    for (SetWatches2 part : pendingWatches) {
      // Changes that the move itself made at this instance are not reported.
      part.setRelativeZxid(switchedZxid);
      watches.set(part);
      Watches.requests(part).forEach(request -> instanceSession.prepare(request, reply -> {}));
    }
    pendingWatches.clear();
  }

  /** Sets watches that another instance had, as soon as this instance uses the session's epoch. */
  public void addWatches(SetWatches2 part) {
    pendingWatches.add(part);
    if (instanceSession.isOpen()) {
      switchEpoch();
    } else {
      instanceSession.open();
    }
  }

  /**
   * Whether a path is known, for the current guard, not to be an ephemeral znode in ZooFence's
   * records.
   */
  public boolean isPlain(String path) {
    return plainGuardVersion == guard.version() && plainPaths.contains(path);
  }

  /**
   * Asks whether a path is an ephemeral znode in ZooFence's records, so that no znode is created
   * below it.
   */
  public void readOwner(String path, Consumer<ZooKeeperReply> callback) {
    int guardVersion = guard.version();
    instanceSession.prepare(
        OwnerLookup.createRequest(path),
        reply -> {
          boolean isAnswered = reply.succeeded() || reply.failedWith(Code.NONODE);
          if (isAnswered && !OwnerLookup.isSession(reply) && guardVersion == guard.version()) {
            if (plainGuardVersion != guardVersion || plainPaths.size() >= REMEMBERED) {
              plainPaths.clear();
            }
            plainGuardVersion = guardVersion;
            plainPaths.add(path);
          }
          callback.accept(reply);
        });
  }

  /**
   * The client session to which a session of this instance belongs; null if the instance could not
   * be asked.
   */
  public void readClientSession(long ownSession, Consumer<@Nullable Long> callback) {
    instanceSession.prepare(
        ZooKeeperRequest.of(
            OpCode.getData,
            new GetDataRequest(
                ZnodePaths.child(ZooFencePaths.OWNERS, ZooFencePaths.hex(ownSession)), false)),
        (ZooKeeperReply reply) -> {
          if (reply.succeeded()) {
            callback.accept(
                ByteBuffer.wrap(Jute.read(reply.body(), new GetDataResponse()).getData())
                    .getLong());
          } else {
            // Without a record, the session is not one of ZooFence's, or has just ended.
            callback.accept(reply.failedWith(Code.NONODE) ? ownSession : null);
          }
        });
  }
}
