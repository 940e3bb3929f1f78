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
 * The flattening by which a session routes. It changes only when nothing of the session is on its
 * way, so all of a client's requests that run beside each other were routed by one edition.
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
    this.flatteningEpoch = routingContext.edition();
    this.read = flatteningEpoch;
  }

  public Flattening flattening() {
    return flatteningEpoch.flattening();
  }

  /** The number of the edition. */
  public int number() {
    return flatteningEpoch.number();
  }

  /** Whether a subtree is being moved, so that no queue may begin now. */
  public boolean isMoving() {
    return flatteningEpoch.isMoving();
  }

  /** Whether one was being moved when the edition was read last. */
  public boolean hasReadMove() {
    return read.isMoving();
  }

  /** The version of the znode that the edition was read from; -1 if it was not read yet. */
  public int version() {
    return version;
  }

  /** Whether there is a later edition than this session goes by. */
  public boolean isOutdated() {
    return turnedAway || highest > flatteningEpoch.number();
  }

  /** An instance goes by this edition. */
  public void heard(int number) {
    highest = Math.max(highest, number);
  }

  /** A command was turned away: there is another edition, or it is about to come. */
  public void turnedAway() {
    turnedAway = true;
  }

  /** Goes by the edition that was read last. */
  public void adopt() {
    flatteningEpoch = read;
    version = readVersion;
    turnedAway = false;
  }

  /**
   * Reads the edition that is in force, which changes nothing yet: what waits was routed by the one
   * before.
   *
   * @param then is told whether it could be read
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
