package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.joint.JointEngine;
import io.ensemble.cache.joint.Takeovers;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.trust.Serving;
import io.ensemble.cache.trust.TrustReader;
import io.ensemble.cache.trust.TrustingEngine;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What serves in one process while keys are taken over: the new configuration, whose removed keys
 * nobody forgets meanwhile, with the former one beside it. Opened once.
 */
final class JointServing {

  private final StoredDefinition joint;
  private final StoredDefinition served;
  private final Source former;
  private final Follower.Surroundings around;
  private final DefinitionWatch watch;
  private @Nullable JointEngine engine;
  private @Nullable MwmrEngine registers;
  private volatile boolean isOver;

  private JointServing(
      StoredDefinition joint, Source former, Follower.Surroundings around, DefinitionWatch watch) {
    this.joint = joint;
    this.served = joint.served();
    this.former = former;
    this.around = around;
    this.watch = watch;
  }

  /**
   * Of the change in {@code now}.
   *
   * @param former handles of the former configuration
   */
  static JointServing of(
      StoredDefinition now,
      List<SiteHandle> former,
      Follower.Surroundings around,
      DefinitionWatch watch) {
    Source source =
        Sources.of(
            now,
            List.copyOf(former),
            around.scheduler(),
            around.clock(),
            around.writers().get(),
            false);
    return new JointServing(now, source, around, watch);
  }

  /** The number of the new configuration. */
  long number() {
    return served.configuration();
  }

  /**
   * Whether the record names this configuration, or did a moment ago: a change that is restarted
   * abandons it. Once all keys are taken over none can.
   */
  CompletionStage<Boolean> isNamed() {
    return isOver
        ? CompletableFuture.completedFuture(true)
        : watch
            .presentWithin(Takeovers.SEEN_WITHIN.toNanos())
            .thenApply(now -> now.served().configuration() == number());
  }

  /**
   * Opens it.
   *
   * @param stores the new ones
   */
  synchronized Serving serving(TrustReader trust, List<SiteHandle> stores) {
    CacheDefinition definition = served.definition();
    MwmrEngine inner = MwmrEngine.openUnswept(around.cache(definition, stores));
    Takeovers takeovers =
        new Takeovers(
            inner, former::readEnded, () -> Takeover.isJoint(watch, joint), around.scheduler());
    JointEngine outer =
        new JointEngine(
            new TrustingEngine(inner, definition, trust),
            definition,
            takeovers,
            around.scheduler(),
            () -> lost(stores),
            watch::look,
            former::close);
    registers = inner;
    engine = outer;
    return new Serving(number(), definition, outer, inner, trust::isEnding);
  }

  private static Set<String> lost(List<SiteHandle> stores) {
    return stores.stream()
        .filter(SiteHandle::isLost)
        .map(SiteHandle::site)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** All keys are taken over: the former configuration is needed no more. */
  void over() {
    isOver = true;
    JointEngine outer;
    MwmrEngine inner;
    synchronized (this) {
      outer = engine;
      inner = registers;
    }
    if (outer != null
        && inner != null) { // Calls that waited go on, whose completions are anybody's.
      outer.over();
      inner.beginSweeping();
    }
  }
}
