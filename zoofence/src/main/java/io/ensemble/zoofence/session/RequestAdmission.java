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
 * Decides whether the next request may go to its instance now. While the request may not go, all
 * requests behind it wait, because a client's order must be kept.
 */
final class RequestAdmission {
  private final RoutingContext routingContext;
  private final MemberSessions memberSessions;
  private final Runnable resume;
  private boolean halted;
  private boolean waits;
  private long sinceNanos;

  /**
   * @param resume is run when a waiting request may have become admissible
   */
  RequestAdmission(RoutingContext routingContext, MemberSessions memberSessions, Runnable resume) {
    this.routingContext = routingContext;
    this.memberSessions = memberSessions;
    this.resume = resume;
  }

  boolean isHalted() {
    return halted;
  }

  /** Whether a request has waited for a lock as long as allowed. */
  boolean isOverdue() {
    return halted
        && System.nanoTime() - sinceNanos
            > TimeUnit.MILLISECONDS.toNanos(routingContext.patienceMillis());
  }

  /** Ends the halt, since its reason may be gone. */
  void release() {
    if (halted) {
      halted = false;
      resume.run();
    }
  }

  private boolean halt() {
    if (!waits) {
      waits = true; // A guard that changes meanwhile does not extend the wait.
      sinceNanos = System.nanoTime();
    }
    halted = true;
    return false;
  }

  /** Whether a request may go; if not, all requests halt until the state changes. */
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

  /**
   * Checks the parents of created znodes. No znode is created below an ephemeral one, and the
   * instance may store the parent as a permanent znode.
   */
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

  /** Refuses the request; an operation before the failing one may fail first. */
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
