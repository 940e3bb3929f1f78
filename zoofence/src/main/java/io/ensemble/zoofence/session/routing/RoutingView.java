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
  private FlatteningEpoch readEpoch;
  private int readVersion = -1;
  private int highestNumber;
  private boolean isTurnedAway;

  public RoutingView(RoutingContext routingContext, InstanceSession admin) {
    this.routingContext = routingContext;
    this.admin = admin;
    this.flatteningEpoch = routingContext.epoch();
    this.readEpoch = flatteningEpoch;
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
    return readEpoch.isMoving();
  }

  /** The version of the znode from which the epoch was read; -1 before the first read. */
  public int version() {
    return version;
  }

  /** Whether there is a later epoch than the one by which this session routes. */
  public boolean isOutdated() {
    return isTurnedAway || highestNumber > flatteningEpoch.number();
  }

  /** Records the epoch that an instance uses. */
  public void recordNumber(int number) {
    highestNumber = Math.max(highestNumber, number);
  }

  /** A command was turned away, because another epoch is in force or about to be. */
  public void markTurnedAway() {
    isTurnedAway = true;
  }

  /** Routes by the epoch that was read last. */
  public void adoptReadEpoch() {
    flatteningEpoch = readEpoch;
    version = readVersion;
    isTurnedAway = false;
  }

  /**
   * Reads the epoch in force. The read has no effect until {@link #adoptReadEpoch}, because the
   * waiting requests were routed by the former epoch.
   *
   * @param callback receives whether the read succeeded
   */
  public void refresh(Consumer<Boolean> callback) {
    admin.send(
        () -> ZooKeeperRequest.of(OpCode.sync, new SyncRequest(ZooFencePaths.FLATTENING)),
        routingContext.requestTimeoutMillis(),
        reply -> {});
    admin.send(
        () ->
            ZooKeeperRequest.of(
                OpCode.getData, new GetDataRequest(ZooFencePaths.FLATTENING, false)),
        routingContext.requestTimeoutMillis(),
        reply -> {
          if (reply.succeeded()) {
            var response = Jute.read(reply.body(), new GetDataResponse());
            readEpoch = FlatteningEpoch.read(response.getData(), routingContext.names());
            readVersion = response.getStat().getVersion();
            routingContext.recordEpoch(readEpoch);
          }
          callback.accept(reply.succeeded());
        });
  }
}
