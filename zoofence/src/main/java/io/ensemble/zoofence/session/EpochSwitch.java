package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.session.instance.Watches;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.session.routing.RoutingView;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.proto.SetWatches2;

/**
 * The switch of a session to another flattening epoch. The switch runs when no request of the
 * session is in flight. Then the session's watches follow their paths, and waiting requests are
 * routed again.
 */
final class EpochSwitch {
  private static final int AGAIN_MILLIS = 50;

  private final MemberSessions memberSessions;
  private final ReadPreference readPreference;
  private final RoutingView routingView;
  private final RequestOrder order;
  private final EventLoop loop;
  private final Runnable resume;
  private final Runnable restart;
  private boolean isRunning;
  private long dueSinceNanos;

  /**
   * @param resume is run when the switch is done
   * @param restart makes the client reconnect: a persistent watch cannot follow its path without a
   *     gap, which the client has to notice
   */
  EpochSwitch(
      MemberSessions memberSessions,
      ReadPreference readPreference,
      RequestOrder order,
      EventLoop loop,
      Runnable resume,
      Runnable restart) {
    this.memberSessions = memberSessions;
    this.readPreference = readPreference;
    this.routingView = memberSessions.routingView();
    this.order = order;
    this.loop = loop;
    this.resume = resume;
    this.restart = restart;
  }

  /** Whether no new request may be sent before the switch is done. */
  boolean isDue() {
    return routingView.isOutdated();
  }

  /**
   * Handles a command that had no effect because another flattening epoch is in force, or is about
   * to be.
   *
   * @return the reply, if the request has waited for long enough; otherwise null, and the request
   *     is sent again
   */
  @org.jspecify.annotations.Nullable
  ZooKeeperReply handleRefusal(InFlightRequest inFlightRequest, long requestTimeoutMillis) {
    if (inFlightRequest.hasWaited(requestTimeoutMillis)) {
      return ZooKeeperReply.failed(Code.OPERATIONTIMEOUT);
    }
    inFlightRequest.turnAway();
    routingView.markTurnedAway();
    return null;
  }

  /** Whether the switch has been due for so long that requests should not wait any longer. */
  boolean isOverdue(long requestTimeoutMillis) {
    return isDue()
        && dueSinceNanos != 0
        && System.nanoTime() - dueSinceNanos > TimeUnit.MILLISECONDS.toNanos(requestTimeoutMillis);
  }

  /** Begins the switch if it is due and every request sent is answered or turned away. */
  void begin() {
    if (isDue() && dueSinceNanos == 0) {
      dueSinceNanos = System.nanoTime();
    }
    if (!isDue() || isRunning || !order.isQuiet()) {
      return;
    }
    isRunning = true;
    order.requeueRunning();
    routingView.refresh(
        isRead -> {
          if (isRead && !routingView.hasReadMove()) {
            finish(true);
          } else {
            loop.schedule(() -> finish(isRead), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
          }
        });
  }

  private void finish(boolean isRead) {
    isRunning = false;
    if (!isRead) {
      resume.run();
      return;
    }
    routingView.adoptReadEpoch();
    dueSinceNanos = 0;
    boolean areWatchesMoved = true;
    for (InstanceClient instanceClient : memberSessions.instances()) {
      areWatchesMoved &= moveWatches(instanceClient);
    }
    memberSessions.instances().forEach(InstanceClient::switchEpoch);
    if (areWatchesMoved) {
      order.reroute(request -> RouteFinder.of(request, routingView.flattening(), readPreference));
      resume.run();
    } else {
      restart.run();
    }
  }

  /** Moves one-shot watches to the instances that now hold their paths. */
  private boolean moveWatches(InstanceClient source) {
    int number = source.link().number();
    boolean isComplete =
        !source
            .watches()
            .hasPersistent(
                path ->
                    !routingView
                        .flattening()
                        .holders(path)
                        .equals(source.flattening().holders(path)));
    SetWatches2 movedWatches = source.watches().removeMoved(path -> findReader(path) != number);
    Watches.divideByInstance(movedWatches, this::findReader)
        .forEach((target, part) -> memberSessions.clientAt(target).addWatches(part));
    return isComplete;
  }

  private int findReader(String path) {
    return readPreference.select(routingView.flattening().holders(path));
  }
}
