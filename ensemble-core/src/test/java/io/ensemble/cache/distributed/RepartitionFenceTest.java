package io.ensemble.cache.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.adapter.InMemoryEngine;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.codec.Codec;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RepartitionFenceTest {

  private static final Bytes KEY = Bytes.of(new byte[] {1, 2});

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final Codec codec = new Codec(List.of());
  private final CacheInstance former = part();
  private final CacheInstance again = part();
  private final DistributedEngine engine = engine(dealt(1, former));

  private CacheInstance part() {
    return new CacheInstance(
        CacheDefinition.of("p", Mode.MWMR).sites("a").build(),
        new InMemoryEngine(scheduler, () -> 0),
        codec,
        scheduler,
        CacheMetrics.NONE,
        () -> 0,
        () -> {});
  }

  private static PartitionTable dealt(long revision, CacheInstance part) {
    DistributedDefinition definition = DistributedDefinition.of("d", "p");
    return new PartitionTable(
        revision, 1, new PartitionTable.Side(definition, List.of(part), key -> 0), null);
  }

  private DistributedEngine engine(PartitionTable first) {
    RepartitionFence fence =
        new RepartitionFence(
            ConfigurationLeaseRules.STANDARD, "00000000000000b1", first, scheduler, () -> {});
    return new DistributedEngine(first, null, codec, fence);
  }

  private CompletableFuture<Optional<Payload>> read() {
    CompletableFuture<Optional<Payload>> read =
        engine.read(KEY, Deadline.after(Duration.ofSeconds(4), scheduler)).toCompletableFuture();
    scheduler.advance(Duration.ofSeconds(5));
    return read;
  }

  @Test
  void aPartThatWasCreatedAgainIsTrustedByItsOwnMark() {
    assertThat(read()).isCompletedWithValue(Optional.empty());
    former.closeAsDeleted();

    engine.deal(dealt(2, again));

    assertThat(read()).isCompletedWithValue(Optional.empty());
  }

  @Test
  void whatIsClosedIsNoPartToGoOnWith() {
    PartitionTable dealt = dealt(1, former);
    assertThat(dealt.open()).containsOnlyKeys("p");

    former.close();

    assertThat(dealt.open()).isEmpty();
    assertThat(dealt.faces()).containsOnlyKeys("p");
  }
}
