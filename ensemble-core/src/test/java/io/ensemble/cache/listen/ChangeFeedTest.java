package io.ensemble.cache.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStamp;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.listen.ListenPosition;
import io.ensemble.register.Content;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A stream over a cache without entries, whose configuration changes. */
class ChangeFeedTest {

  private static final long RETAINED_MICROS = 600_000_000;

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private long configuration = 1;
  private long confirmedFrom;

  private Optional<ChangeSource> source() {
    long number = configuration;
    return Optional.of(
        new ChangeSource(
            number,
            List.of(),
            0,
            0,
            true,
            RETAINED_MICROS,
            value -> {
              throw new AssertionError("no entries");
            },
            (key, deadline) -> CompletableFuture.completedFuture(Content.<Payload>absent()),
            deadline -> CompletableFuture.completedFuture(number >= confirmedFrom)));
  }

  private EncodedChangeStream resumed(long watermarkMicros) {
    return EncodedChangeStream.open(
        "cache",
        1,
        this::source,
        KeySelection.ALL,
        true,
        new ListenPosition(1, 1, watermarkMicros, ChangeStamp.NONE, Map.of()),
        ListenLimits.STANDARD,
        scheduler);
  }

  private List<GapReason> gaps(EncodedChangeStream stream) {
    List<GapReason> reasons = new ArrayList<>();
    while (true) {
      Optional<ChangeEvent<Bytes, Payload>> event =
          stream.next(Duration.ZERO).toCompletableFuture().join();
      if (event.isEmpty()) {
        return reasons;
      }
      reasons.add(((Gap<Bytes, Payload>) event.get()).reason());
    }
  }

  @Test
  void aGapOfAllKeysSurvivesTheEndOfItsConfiguration() {
    scheduler.advance(Duration.ofHours(1));
    confirmedFrom = 2; // The first configuration may have ended.
    EncodedChangeStream stream = resumed(1);
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(gaps(stream)).isEmpty();

    configuration = 2;
    scheduler.advance(Duration.ofMinutes(2));

    assertThat(gaps(stream)).containsExactly(GapReason.RETENTION, GapReason.RECONFIGURED);
    stream.close();
  }

  @Test
  void aPositionIsTooOldAMinuteBeforeRemovalsArePurged() {
    scheduler.advance(Duration.ofHours(1));
    long oldest = Duration.ofHours(1).toNanos() / 1000 - RETAINED_MICROS + 60_000_000;

    EncodedChangeStream old = resumed(oldest);
    EncodedChangeStream young = resumed(oldest + 1);

    assertThat(gaps(old)).containsExactly(GapReason.RETENTION);
    assertThat(gaps(young)).isEmpty();
    old.close();
    young.close();
  }
}
