package io.ensemble.testkit.swmr;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The sites of one process, with delayed requests. Only requests about copies are delayed, not
 * those about the record of terms. They are performed when released, and never answered.
 */
final class DelayedRequests {

  private static final Deadline NEVER = new Deadline(Long.MAX_VALUE / 4);

  private final Set<String> holding = new HashSet<>();
  private final List<Runnable> held = new ArrayList<>();

  /** Delays requests of that kind to that site from now on. */
  void hold(String site, String request) {
    holding.add(site + " " + request);
  }

  /** Delays no further requests; delayed ones stay delayed. */
  void pass() {
    holding.clear();
  }

  /**
   * Performs the delayed requests.
   *
   * @return their number
   */
  int letGo() {
    List<Runnable> all = List.copyOf(held);
    held.clear();
    all.forEach(Runnable::run);
    return all.size();
  }

  Site site(Site real) {
    return InterceptedSite.of(real, this::instead);
  }

  private Optional<CompletionStage<?>> instead(
      String site, Method request, Object[] arguments, InterceptedSite.Perform perform) {
    boolean ofCopy =
        arguments != null && arguments[0] instanceof Bytes key && key.size() > 1; // not the record
    if (!ofCopy || !holding.contains(site + " " + request.getName())) {
      return Optional.empty();
    }
    Object[] late = arguments.clone();
    late[late.length - 1] = NEVER; // A sent request outlives the caller's deadline.
    held.add(() -> perform.with(late));
    return Optional.of(new CompletableFuture<>());
  }
}
