package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.Request;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Whether the request whose turn it is may go to its instance now. While it may not, nothing behind
 * it goes either, since a client's order is one order.
 */
final class Admission {
  private final Router router;
  private final Members members;
  private final Runnable resume;
  private boolean halted;
  private boolean waits;
  private long sinceNanos;

  /**
   * @param resume is run when something may have become possible
   */
  Admission(Router router, Members members, Runnable resume) {
    this.router = router;
    this.members = members;
    this.resume = resume;
  }

  boolean isHalted() {
    return halted;
  }

  /** Whether a request has waited for a lock as long as one may. */
  boolean isOverdue() {
    return halted
        && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(router.patienceMillis());
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
  boolean mayRun(Task task) {
    int instance = instance(task.route());
    if (instance >= 0) {
      Instance at = members.at(instance);
      if (at.isStale()
          || Routes.paths(task.request()).stream().anyMatch(at.guard().locks()::locks)) {
        return halt();
      }
    }
    if (task.route() instanceof Route.Write write && !mayCreate(task, write.instance())) {
      return false;
    }
    waits = false;
    return true;
  }

  private static int instance(Route route) {
    if (route.lane() instanceof Lane.At at) {
      return at.instance();
    }
    return route instanceof Route.Unguarded write ? write.instance() : -1;
  }

  /** Nothing is created below an ephemeral znode, which the instance may not know to be one. */
  private boolean mayCreate(Task task, int instance) {
    Instance at = members.at(instance);
    for (String parent : Routes.parentsOfCreated(task.request())) {
      if (Routes.mayBeOwned(parent, members.chart().flattening()) && !at.isPlain(parent)) {
        at.link().whenOpen(router.patienceMillis(), () -> ask(task, at, parent));
        return halt();
      }
    }
    return true;
  }

  private void ask(Task task, Instance at, String parent) {
    at.ask(
        parent,
        known -> {
          if (Owner.isSession(known)) {
            refuse(task, at, parent);
            return;
          }
          if (!at.link().isOpen()) {
            task.reroute(new Route.Refused(Code.OPERATIONTIMEOUT));
          }
          release();
        });
  }

  /** The operations before the one that fails may fail first. */
  private void refuse(Task task, Instance at, String parent) {
    Request before = Replies.before(task.request(), parent);
    if (before == null) {
      task.reroute(new Route.Refused(Code.NOCHILDRENFOREPHEMERALS));
      release();
      return;
    }
    at.link()
        .prepare(
            before,
            tried -> {
              task.reroute(new Route.Answered(Replies.childless(task.request(), tried)));
              release();
            });
  }
}
