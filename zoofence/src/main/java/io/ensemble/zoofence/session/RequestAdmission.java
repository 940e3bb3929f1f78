package io.ensemble.zoofence.session;

import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.session.instance.OwnerLookup;
import io.ensemble.zoofence.session.routing.RequestLane;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.session.routing.ZnodeRoute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Whether the request whose turn it is may go to its instance now. While it may not, nothing behind
 * it goes either, since a client's order is one order.
 */
final class RequestAdmission {
  private final RoutingContext routingContext;
  private final MemberSessions memberSessions;
  private final Runnable resume;
  private boolean halted;
  private boolean waits;
  private long sinceNanos;

  /**
   * @param resume is run when something may have become possible
   */
  RequestAdmission(RoutingContext routingContext, MemberSessions memberSessions, Runnable resume) {
    this.routingContext = routingContext;
    this.memberSessions = memberSessions;
    this.resume = resume;
  }

  boolean isHalted() {
    return halted;
  }

  /** Whether a request has waited for a lock as long as one may. */
  boolean isOverdue() {
    return halted
        && System.nanoTime() - sinceNanos
            > TimeUnit.MILLISECONDS.toNanos(routingContext.patienceMillis());
  }

  /** What was waited for may have come. */
  void release() {
    if (halted) {
      halted = false;
      resume.run();
    }
  }

  private boolean halt() {
    if (!waits) {
      waits = true; // A guard that changes meanwhile does not make its patience longer.
      sinceNanos = System.nanoTime();
    }
    halted = true;
    return false;
  }

  /** Whether a request may go; if not, everything halts until something changes. */
  boolean mayRun(InFlightRequest inFlightRequest) {
    int instance = instance(inFlightRequest.route());
    if (instance >= 0) {
      InstanceClient at = memberSessions.at(instance);
      if (at.isStale()
          || RouteFinder.paths(inFlightRequest.request()).stream()
              .anyMatch(at.guard().locks()::locks)) {
        return halt();
      }
    }
    if (inFlightRequest.route() instanceof ZnodeRoute.Write write
        && !mayCreate(inFlightRequest, write.instance())) {
      return false;
    }
    waits = false;
    return true;
  }

  private static int instance(ZnodeRoute route) {
    if (route.lane() instanceof RequestLane.At at) {
      return at.instance();
    }
    return route instanceof ZnodeRoute.Unguarded write ? write.instance() : -1;
  }

  /** Nothing is created below an ephemeral znode, which the instance may not know to be one. */
  private boolean mayCreate(InFlightRequest inFlightRequest, int instance) {
    InstanceClient at = memberSessions.at(instance);
    for (String parent : RouteFinder.parentsOfCreated(inFlightRequest.request())) {
      if (RouteFinder.mayBeOwned(parent, memberSessions.chart().flattening())
          && !at.isPlain(parent)) {
        at.link().whenOpen(routingContext.patienceMillis(), () -> ask(inFlightRequest, at, parent));
        return halt();
      }
    }
    return true;
  }

  private void ask(InFlightRequest inFlightRequest, InstanceClient at, String parent) {
    at.ask(
        parent,
        known -> {
          if (OwnerLookup.isSession(known)) {
            refuse(inFlightRequest, at, parent);
            return;
          }
          if (!at.link().isOpen()) {
            inFlightRequest.reroute(new ZnodeRoute.Refused(Code.OPERATIONTIMEOUT));
          }
          release();
        });
  }

  /** The operations before the one that fails may fail first. */
  private void refuse(InFlightRequest inFlightRequest, InstanceClient at, String parent) {
    ZooKeeperRequest before = ReplyTranslator.before(inFlightRequest.request(), parent);
    if (before == null) {
      inFlightRequest.reroute(new ZnodeRoute.Refused(Code.NOCHILDRENFOREPHEMERALS));
      release();
      return;
    }
    at.link()
        .prepare(
            before,
            tried -> {
              inFlightRequest.reroute(
                  new ZnodeRoute.Answered(
                      ReplyTranslator.childless(inFlightRequest.request(), tried)));
              release();
            });
  }
}
