package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.listen.BuggyStream;
import io.ensemble.cache.listen.EncodedChangeStream;
import io.ensemble.cache.listen.ListenLimits;
import io.ensemble.listen.ListenPosition;
import io.ensemble.listen.MergerBug;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * While a site is down, a write uses a ballot that was drawn with the write before. A stream that
 * resumes must not take it for a write that the position covers.
 */
class ListenAtPreparedBallotsTest {

  private static final Duration LONG = Duration.ofMinutes(30);

  private final SimFederation federation =
      SimFederation.builder().sites("s0", "s1", "s2").clients(2).seed(1).build();
  private final MwmrSimCache cache =
      new MwmrSimCache(federation, Duration.ofSeconds(1), Duration.ofHours(1));
  private final SimClient listener = federation.clients().get(1);
  private final Opened writer = cache.open(federation.clients().get(0));

  private long write(long value) {
    Deadline deadline = Deadline.after(Duration.ofMillis(900), writer.client().scheduler());
    WriteOutcome<Void> outcome =
        federation.get(
            writer
                .engine()
                .write(HistoryPayloads.key("k"), HistoryPayloads.payload(value), deadline),
            LONG);
    return ((WriteOutcome.Applied<Void>) outcome).stamp().micros();
  }

  private EncodedChangeStream listen(@Nullable ListenPosition from) {
    EncodedChangeStream stream =
        BuggyStream.open(
            cache.open(listener).engine()::changes,
            from,
            ListenLimits.STANDARD,
            listener.scheduler(),
            MergerBug.NONE);
    federation.get(stream.ready(), LONG);
    return stream;
  }

  @Test
  void aWriteAfterALongPauseIsShownByAStreamThatResumes() {
    write(0);
    federation.inject(new Fault.SiteDown("s2", LostState.REQUESTS));
    write(1);
    federation.run(Duration.ofSeconds(20));
    long called = federation.scheduler().epochMicros();
    assertThat(write(2)).as("at the prepared ballot").isLessThan(called - 15_000_000);
    EncodedChangeStream stream = listen(null);
    federation.run(Duration.ofMinutes(10));
    ListenPosition position = stream.position();
    stream.close();

    write(3);

    EncodedChangeStream resumed = listen(position);
    List<Long> shown = new ArrayList<>();
    Optional<ChangeEvent<Bytes, Payload>> event;
    do {
      event = federation.get(resumed.next(Duration.ofSeconds(1)), LONG);
      event.ifPresent(
          one -> {
            if (one instanceof Change<Bytes, Payload> change) {
              shown.add(HistoryPayloads.number(change.value()));
            }
          });
    } while (event.isPresent());
    resumed.close();
    assertThat(shown).containsExactly(3L);
  }
}
