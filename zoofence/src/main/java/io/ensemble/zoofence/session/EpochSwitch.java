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
 * How a session goes over to another edition of the flattening: when nothing of it is on its way,
 * its watches follow their paths, and what waits finds its way anew.
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
   * @param resume is run when it is done
   * @param restart makes the client come back: what it watches for good cannot follow without a
   *     gap, so it has to know
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

  /** Whether nothing new may be sent before it is done. */
  boolean isDue() {
    return routingView.isOutdated();
  }

  /**
   * A command had no effect, as another edition is in force, or is about to be.
   *
   * @return its reply, if it has waited for long enough; else null, and it is sent again
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

  /** Whether it has been due for so long that requests should not wait any longer. */
  boolean isOverdue(long patienceMillis) {
    return isDue()
        && sinceNanos != 0
        && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(patienceMillis);
  }

  /** Begins, if it is due, and everything that was sent is answered or turned away. */
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

  /** What is watched once is watched where its path is from now on. */
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
