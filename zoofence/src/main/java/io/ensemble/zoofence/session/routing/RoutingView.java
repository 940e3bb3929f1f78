package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SyncRequest;

/**
 * The flattening epoch by which a session routes. The epoch changes only when no request of the
 * session is in flight. All requests of a client that run in parallel were therefore routed by the
 * same epoch.
 */
public final class RoutingView {
  private final RoutingContext routingContext;
  private final InstanceSession admin;
  private FlatteningEpoch flatteningEpoch;
  private int version = -1;
  private FlatteningEpoch read;
  private int readVersion = -1;
  private int highest;
  private boolean turnedAway;

  public RoutingView(RoutingContext routingContext, InstanceSession admin) {
    this.routingContext = routingContext;
    this.admin = admin;
    this.flatteningEpoch = routingContext.epoch();
    this.read = flatteningEpoch;
  }

  public Flattening flattening() {
    return flatteningEpoch.flattening();
  }

  /** The number of the epoch. */
  public int number() {
    return flatteningEpoch.number();
  }

  /** Whether a subtree is being moved, so that no queue may be created now. */
  public boolean isMoving() {
    return flatteningEpoch.isMoving();
  }

  /** Whether a subtree was being moved when the epoch was read last. */
  public boolean hasReadMove() {
    return read.isMoving();
  }

  /** The version of the znode from which the epoch was read; -1 before the first read. */
  public int version() {
    return version;
  }

  /** Whether there is a later epoch than the one by which this session routes. */
  public boolean isOutdated() {
    return turnedAway || highest > flatteningEpoch.number();
  }

  /** Records the epoch that an instance uses. */
  public void heard(int number) {
    highest = Math.max(highest, number);
  }

  /** A command was turned away, because another epoch is in force or about to be. */
  public void turnedAway() {
    turnedAway = true;
  }

  /** Routes by the epoch that was read last. */
  public void adopt() {
    flatteningEpoch = read;
    version = readVersion;
    turnedAway = false;
  }

  /**
   * Reads the epoch in force. The read has no effect until {@link #adopt}, because the waiting
   * requests were routed by the former epoch.
   *
   * @param then receives whether the read succeeded
   */
  public void refresh(Consumer<Boolean> then) {
    admin.send(
        () -> ZooKeeperRequest.of(OpCode.sync, new SyncRequest(ZooFencePaths.FLATTENING)),
        routingContext.patienceMillis(),
        reply -> {});
    admin.send(
        () ->
            ZooKeeperRequest.of(
                OpCode.getData, new GetDataRequest(ZooFencePaths.FLATTENING, false)),
        routingContext.patienceMillis(),
        reply -> {
          if (reply.succeeded()) {
            var found = Jute.read(reply.body(), new GetDataResponse());
            read = FlatteningEpoch.read(found.getData(), routingContext.names());
            readVersion = found.getStat().getVersion();
            routingContext.learn(read);
          }
          then.accept(reply.succeeded());
        });
  }
}
