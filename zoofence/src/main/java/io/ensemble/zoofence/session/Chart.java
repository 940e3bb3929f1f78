package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Edition;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.link.Link;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Request;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SyncRequest;

/**
 * The flattening by which a session routes. It changes only when nothing of the session is on its
 * way, so all of a client's requests that run beside each other were routed by one edition.
 */
final class Chart {
  private final Router router;
  private final Link admin;
  private Edition edition;
  private int version = -1;
  private Edition read;
  private int readVersion = -1;
  private int highest;
  private boolean turnedAway;

  Chart(Router router, Link admin) {
    this.router = router;
    this.admin = admin;
    this.edition = router.edition();
    this.read = edition;
  }

  Flattening flattening() {
    return edition.flattening();
  }

  /** The number of the edition. */
  int number() {
    return edition.number();
  }

  /** Whether a subtree is being moved, so that no queue may begin now. */
  boolean isMoving() {
    return edition.isMoving();
  }

  /** Whether one was being moved when the edition was read last. */
  boolean hasReadMove() {
    return read.isMoving();
  }

  /** The version of the znode that the edition was read from; -1 if it was not read yet. */
  int version() {
    return version;
  }

  /** Whether there is a later edition than this session goes by. */
  boolean isOutdated() {
    return turnedAway || highest > edition.number();
  }

  /** An instance goes by this edition. */
  void heard(int number) {
    highest = Math.max(highest, number);
  }

  /** A command was turned away: there is another edition, or it is about to come. */
  void turnedAway() {
    turnedAway = true;
  }

  /** Goes by the edition that was read last. */
  void adopt() {
    edition = read;
    version = readVersion;
    turnedAway = false;
  }

  /**
   * Reads the edition that is in force, which changes nothing yet: what waits was routed by the one
   * before.
   *
   * @param then is told whether it could be read
   */
  void refresh(Consumer<Boolean> then) {
    admin.send(
        () -> Request.of(OpCode.sync, new SyncRequest(Names.FLATTENING)),
        router.patienceMillis(),
        reply -> {});
    admin.send(
        () -> Request.of(OpCode.getData, new GetDataRequest(Names.FLATTENING, false)),
        router.patienceMillis(),
        reply -> {
          if (reply.succeeded()) {
            var found = Jute.read(reply.body(), new GetDataResponse());
            read = Edition.read(found.getData(), router.names());
            readVersion = found.getStat().getVersion();
            router.learn(read);
          }
          then.accept(reply.succeeded());
        });
  }
}
