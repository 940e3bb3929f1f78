package io.ensemble.cache.swmr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When too many keys have writes of unknown outcome in one epoch, the writer begins a new term. */
class KeysToFenceTest {

  private static final Payload VALUE = new Payload(Bytes.of((byte) 1), 0);

  private final SimFederation federation =
      SimFederation.builder().sites("s0", "s1", "s2").clients(1).seed(5).build();
  private final SimClient client = federation.clients().get(0);

  private EngineContext cache(String store) {
    federation.createStore(store, StoreKind.ACCEPTOR);
    return new EngineContext(
        CacheDefinition.of(store, Mode.MWMR).sites(federation.siteNames()).build(),
        federation.stores(client, store, StoreKind.ACCEPTOR).values().stream()
            .map(open -> FakeHandle.open(open.site(), open))
            .toList(),
        Optional.empty(),
        client.scheduler(),
        new HybridClock(client.scheduler()::epochMicros),
        new WriterId(1, 2),
        CacheMetrics.NONE);
  }

  private SwmrEngine open() {
    return SwmrEngine.open(
        cache("data"),
        MwmrEngine.open(cache("control")),
        Bytes.of((byte) 0),
        new TermLeaseRules(300_000_000, 10_000_000),
        Optional.empty());
  }

  private WriteOutcome<Void> write(SwmrEngine engine, String key) {
    return federation.get(
        engine.write(
            Bytes.of(key.getBytes(UTF_8)),
            VALUE,
            Deadline.after(Duration.ofSeconds(20), client.scheduler())),
        Duration.ofMinutes(1));
  }

  private Term withTooManyUncertain(SwmrEngine engine) {
    assertThat(write(engine, "first")).isInstanceOf(WriteOutcome.Applied.class);
    Term term = engine.term().orElseThrow();
    for (int i = 0; i <= KeysToFence.MOST; i++) {
      engine.keysToFence().add(Bytes.of(("k" + i).getBytes(UTF_8)), term);
    }
    return term;
  }

  @Test
  void pastTheBoundANewTermOfTheSamePrimaryAndWriterDecidesThem() {
    SwmrEngine engine = open();
    Term before = withTooManyUncertain(engine);

    assertThat(write(engine, "another")).isInstanceOf(WriteOutcome.Applied.class);

    Term after = engine.term().orElseThrow();
    assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
    assertThat(after.primary()).isEqualTo(before.primary());
    assertThat(after.writer()).isEqualTo(before.writer());
    assertThat(engine.keysToFence().size()).isZero();
    engine.close();
  }
}
