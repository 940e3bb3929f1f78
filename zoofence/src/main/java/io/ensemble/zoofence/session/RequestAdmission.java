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
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Decides whether the next request may go to its instance now. While the request may not go, all
 * requests behind it wait, because a client's order must be kept.
 */
final class RequestAdmission {
  private final RoutingContext routingContext;
  private final MemberSessions memberSessions;
  private final Runnable resume;
  private boolean isHalted;
  private boolean isWaiting;
  private long waitStartNanos;
  private boolean hasBegun;
  private long beginNanos;

  /**
   * @param resume is run when a waiting request may have become admissible
   */
  RequestAdmission(RoutingContext routingContext, MemberSessions memberSessions, Runnable resume) {
    this.routingContext = routingContext;
    this.memberSessions = memberSessions;
    this.resume = resume;
  }

  boolean isHalted() {
    return isHalted;
  }

  /** Whether a request has waited for a lock as long as allowed. */
  boolean isOverdue() {
    return isHalted && isWaiting && hasPassed(waitStartNanos);
  }

  private boolean hasPassed(long startNanos) {
    return System.nanoTime() - startNanos
        > TimeUnit.MILLISECONDS.toNanos(routingContext.requestTimeoutMillis());
  }

  /** Refuses the requests that have waited for commands of earlier connections long enough. */
  void tick() {
    if (isHalted && !isWaiting && hasPassed(beginNanos)) {
      release();
    }
  }

  /** Ends the halt, since its reason may be gone. */
  void release() {
    if (isHalted) {
      isHalted = false;
      resume.run();
    }
  }

  private boolean halt() {
    if (!isWaiting) {
      isWaiting = true; // A guard that changes meanwhile does not extend the wait.
      waitStartNanos = System.nanoTime();
    }
    isHalted = true;
    return false;
  }

  /** Whether a request may go; if not, all requests halt until the state changes. */
  boolean canRun(InFlightRequest inFlightRequest) {
    int type = inFlightRequest.request().type();
    boolean isOrdered = type != OpCode.setWatches && type != OpCode.setWatches2;
    if (isOrdered && !memberSessions.areEarlierCommandsEnded()) {
      if (!hasBegun) {
        hasBegun = true; // Not before the session is established, which may take longer.
        beginNanos = System.nanoTime();
      }
      if (!hasPassed(beginNanos)) {
        isHalted = true;
        return false;
      }
      if (type != OpCode.closeSession) {
        inFlightRequest.reroute(new ZnodeRoute.Refused(Code.OPERATIONTIMEOUT));
      }
      return true;
    }
    int instance = findInstance(inFlightRequest.route());
    if (instance >= 0) {
      InstanceClient client = memberSessions.clientAt(instance);
      if (client.isStale()
          || RouteFinder.paths(inFlightRequest.request()).stream()
              .anyMatch(client.guard().locks()::isLocked)) {
        return halt();
      }
    }
    if (inFlightRequest.route() instanceof ZnodeRoute.Write write
        && !canCreate(inFlightRequest, write.instance())) {
      return false;
    }
    isWaiting = false;
    return true;
  }

  private static int findInstance(ZnodeRoute route) {
    if (route.lane() instanceof RequestLane.At at) {
      return at.instance();
    }
    return route instanceof ZnodeRoute.Unguarded write ? write.instance() : -1;
  }

  /**
   * Checks the parents of created znodes. No znode is created below an ephemeral one, and the
   * instance may store the parent as a permanent znode.
   */
  private boolean canCreate(InFlightRequest inFlightRequest, int instance) {
    InstanceClient client = memberSessions.clientAt(instance);
    for (String parent : RouteFinder.parentsOfCreated(inFlightRequest.request())) {
      if (RouteFinder.canBeOwned(parent, memberSessions.routingView().flattening())
          && !client.isPlain(parent)) {
        client
            .link()
            .whenOpen(
                routingContext.requestTimeoutMillis(),
                () -> readOwner(inFlightRequest, client, parent));
        return halt();
      }
    }
    return true;
  }

  private void readOwner(InFlightRequest inFlightRequest, InstanceClient client, String parent) {
    client.readOwner(
        parent,
        reply -> {
          if (OwnerLookup.isSession(reply)) {
            refuse(inFlightRequest, client, parent);
            return;
          }
          if (!client.link().isOpen()) {
            inFlightRequest.reroute(new ZnodeRoute.Refused(Code.OPERATIONTIMEOUT));
          }
          release();
        });
  }

  /** Refuses the request; an operation before the failing one may fail first. */
  private void refuse(InFlightRequest inFlightRequest, InstanceClient client, String parent) {
    ZooKeeperRequest probe = ReplyTranslator.createProbe(inFlightRequest.request(), parent);
    if (probe == null) {
      inFlightRequest.reroute(new ZnodeRoute.Refused(Code.NOCHILDRENFOREPHEMERALS));
      release();
      return;
    }
    client
        .link()
        .prepare(
            probe,
            probeReply -> {
              inFlightRequest.reroute(
                  new ZnodeRoute.Answered(
                      ReplyTranslator.refuseChild(inFlightRequest.request(), probeReply)));
              release();
            });
  }
}
