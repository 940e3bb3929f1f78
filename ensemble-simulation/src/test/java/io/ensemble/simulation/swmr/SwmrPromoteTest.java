package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A site becomes the primary on request, if it can be read. */
class SwmrPromoteTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final SimFederation federation = SimFederation.builder().clients(0).seed(5).build();
  private final SwmrSimCache scene = new SwmrSimCache(federation);
  private final SimClient client = federation.newClient();
  private final OpenSwmrCache cache = scene.open(client);

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(30), client.scheduler());
  }

  @Test
  void aSiteThatIsDownIsNotPromotedAndIsNamed() {
    PrimaryTerm before = scene.get(cache.term(soon()));
    String other =
        federation.siteNames().stream()
            .filter(site -> !site.equals(before.primary()))
            .findFirst()
            .orElseThrow();
    federation.inject(new Fault.SiteDown(other, LostState.REQUESTS));

    CompletableFuture<PrimaryTerm> promoted = cache.promote(other, soon()).toCompletableFuture();
    federation.run(promoted::isDone, SwmrSimCache.LONG);

    assertThatThrownBy(promoted::join)
        .hasCauseInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining(other);
    assertThat(scene.get(cache.term(soon())).epoch()).isEqualTo(before.epoch());

    federation.inject(new Fault.SiteUp(other));
    federation.run(Duration.ofSeconds(5));
    assertThat(scene.get(cache.promote(other, soon())).primary()).isEqualTo(other);
    cache.close();
  }

  /** A separate read of the record may take a lease and the drift, 2.2 s. */
  @Test
  void aTermThatIsNotToldByTheDeadlineIsNotWaitedFor() {
    for (String site : federation.siteNames().subList(1, 3)) {
      federation.inject(new Fault.SiteDown(site, LostState.NOTHING));
    }
    long before = client.scheduler().nanos();

    CompletableFuture<PrimaryTerm> told =
        cache
            .term(Deadline.after(Duration.ofMillis(300), client.scheduler()))
            .toCompletableFuture();
    federation.run(told::isDone, SwmrSimCache.LONG);

    assertThatThrownBy(told::join)
        .hasCauseInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining("cache=copies");
    assertThat(Duration.ofNanos(client.scheduler().nanos() - before)).isLessThan(SECOND);
    cache.close();
  }
}
