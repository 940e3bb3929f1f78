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
  private boolean underWay;
  private long sinceNanos;

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
    this.routingView = memberSessions.chart();
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
  ZooKeeperReply turnedAway(InFlightRequest inFlightRequest, long patienceMillis) {
    if (inFlightRequest.hasWaited(patienceMillis)) {
      return ZooKeeperReply.failed(Code.OPERATIONTIMEOUT);
    }
    inFlightRequest.turnAway();
    routingView.turnedAway();
    return null;
  }

  /** Whether the switch has been due for so long that requests should not wait any longer. */
  boolean isOverdue(long patienceMillis) {
    return isDue()
        && sinceNanos != 0
        && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(patienceMillis);
  }

  /** Begins the switch if it is due and every request sent is answered or turned away. */
  void begin() {
    if (isDue() && sinceNanos == 0) {
      sinceNanos = System.nanoTime();
    }
    if (!isDue() || underWay || !order.isQuiet()) {
      return;
    }
    underWay = true;
    order.again();
    routingView.refresh(
        read -> {
          if (read && !routingView.hasReadMove()) {
            end(true);
          } else {
            loop.schedule(() -> end(read), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
          }
        });
  }

  private void end(boolean read) {
    underWay = false;
    if (!read) {
      resume.run();
      return;
    }
    routingView.adopt();
    sinceNanos = 0;
    boolean all = true;
    for (InstanceClient instanceClient : memberSessions.instances()) {
      all &= follow(instanceClient);
    }
    memberSessions.instances().forEach(InstanceClient::goOver);
    if (all) {
      order.reroute(request -> RouteFinder.of(request, routingView.flattening(), readPreference));
      resume.run();
    } else {
      restart.run();
    }
  }

  /** Moves one-shot watches to the instances that now hold their paths. */
  private boolean follow(InstanceClient from) {
    int number = from.link().number();
    boolean all =
        !from.watches()
            .persists(
                path ->
                    !routingView
                        .flattening()
                        .holders(path)
                        .equals(from.flattening().holders(path)));
    SetWatches2 left = from.watches().leave(path -> reader(path) != number);
    Watches.divided(left, this::reader).forEach((to, part) -> memberSessions.at(to).owe(part));
    return all;
  }

  private int reader(String path) {
    return readPreference.at(routingView.flattening().holders(path));
  }
}
