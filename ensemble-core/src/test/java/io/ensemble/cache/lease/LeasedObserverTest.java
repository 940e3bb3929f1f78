package io.ensemble.cache.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A report of a site that the cache has left is not one of the cache. */
final class LeasedObserverTest {

  private static final Bytes END = Bytes.of((byte) 9);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final ScriptedStore store = new ScriptedStore();
  private final ConfigurationEndReader trust =
      new ConfigurationEndReader(
          ConfigurationLeaseRules.STANDARD, List.of(store), 1, scheduler, () -> {});
  private final List<Integer> reported = new ArrayList<>();
  private int interruptions;
  private final StoreObserver observer =
      trust.observedUnderLease(
          new StoreObserver() {
            @Override
            public void stored(Bytes key, Bytes value) {
              reported.add((int) key.array()[0]);
            }

            @Override
            public void interrupted() {
              interruptions++;
            }
          },
          0);

  private void report(int number) {
    observer.stored(Bytes.of((byte) number), Bytes.of((byte) 1));
  }

  @Test
  void aReportIsPassedOnUnderALease() {
    report(1);
    report(2);
    scheduler.advance(Duration.ofSeconds(10)); // No lease lasts as long.
    report(3);

    assertThat(reported).containsExactly(1, 2, 3);
    assertThat(interruptions).isZero();
  }

  @Test
  void aReportOfASiteThatTheCacheHasLeftCountsAsMissing() {
    store.entries.put(ReservedKey.END, new StoredEntry(END, 1));

    report(1);

    assertThat(reported).isEmpty();
    assertThat(interruptions).isEqualTo(1);
  }

  @Test
  void reportsWaitForTheConfirmationInTheirOrder() {
    store.slow = true;
    for (int number = 1; number <= 5; number++) {
      report(number);
    }
    assertThat(reported).isEmpty();

    store.answers.remove().run();

    assertThat(reported).containsExactly(1, 2, 3, 4, 5);
    assertThat(interruptions).isZero();
  }

  @Test
  void reportsThatCannotBeConfirmedInTimeCountAsMissingTogether() {
    store.slow = true;
    report(1);
    report(2);

    scheduler.advance(Duration.ofSeconds(5));

    assertThat(reported).isEmpty();
    assertThat(interruptions).isEqualTo(1);
    store.slow = false;
    report(3);
    assertThat(reported).as("later ones are passed on again").containsExactly(3);
  }

  @Test
  void moreReportsThanMayWaitCountAsMissing() {
    store.slow = true;
    for (int number = 0; number < LeasedObserver.MOST_WAITING; number++) {
      report(1);
    }
    assertThat(interruptions).isZero();
    report(2);
    assertThat(interruptions).isEqualTo(1);

    store.answers.remove().run();

    assertThat(reported).hasSize(LeasedObserver.MOST_WAITING).doesNotContain(2);
  }

  @Test
  void moreBytesThanMayWaitCountAsMissing() {
    store.slow = true;
    Bytes large = Bytes.of(new byte[(int) LeasedObserver.MOST_WAITING_BYTES / 2]);
    observer.stored(Bytes.of((byte) 1), large);
    observer.stored(Bytes.of((byte) 2), large);
    assertThat(interruptions).isZero();
    report(3);
    assertThat(interruptions).isEqualTo(1);

    store.answers.remove().run();

    assertThat(reported).containsExactly(1, 2);
    store.slow = true;
    scheduler.advance(Duration.ofSeconds(10));
    report(4);
    assertThat(interruptions).as("there is room again").isEqualTo(1);
  }
}
