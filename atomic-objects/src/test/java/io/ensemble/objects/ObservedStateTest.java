package io.ensemble.objects;

import static io.ensemble.objects.FactoryFixture.VISITS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.store.ObjectStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of objects that are not open, whose states are stored separately. */
class ObservedStateTest {

  private static final ProtocolSettings APART =
      ProtocolSettings.DEFAULT.inlineBytes(50).tailBytes(400);

  private final FactoryFixture factoryFixture = new FactoryFixture();
  private final List<String> reads = new CopyOnWriteArrayList<>();
  private final AtomicInteger lost = new AtomicInteger();

  /** Records the reads, and does not find some snapshots. */
  private final AtomicObjectFactory reader =
      AtomicObjectFactory.on(
          new UnresponsiveStore(factoryFixture.store) {
            @Override
            public CompletionStage<Optional<ObjectStore.Entry>> read(String key) {
              reads.add(key.substring(0, key.indexOf('/')));
              return key.startsWith("snapshot/") && lost.getAndDecrement() > 0
                  ? CompletableFuture.completedFuture(Optional.empty())
                  : super.read(key);
            }
          });

  @AfterEach
  void close() {
    reader.close();
    factoryFixture.close();
  }

  private List<String> log() {
    return BlockingWait.toItsEnd(reader.glance("visits", VISITS, Visits::log));
  }

  /** An object whose state is stored separately, with a call after the snapshot. */
  private Visits apart() {
    Visits visits = factoryFixture.one(APART).create("visits", VISITS);
    visits.fill(300);
    visits.visit("a"); // Announces the snapshot.
    visits.visit("b"); // Refers to the snapshot.
    visits.visit("c");
    return visits;
  }

  @Test
  void aStateThatStandsApartIsReadOnceAndNobodyListens() {
    Visits visits = apart();

    List<String> first = log();
    visits.visit("d");
    List<String> second = log();

    assertThat(first).hasSize(4).endsWith("a", "b", "c");
    assertThat(second).hasSize(5).endsWith("c", "d");
    assertThat(reads).containsExactly("object", "snapshot", "object");
    factoryFixture.awaitWatchers(1);
  }

  @Test
  void aStateThatWasReplacedMeanwhileIsLookedForAgain() {
    Visits unused = apart();
    lost.set(1);

    assertThat(log()).hasSize(4);
    assertThat(reads).containsExactly("object", "snapshot", "object", "snapshot");
  }

  @Test
  void anObjectWhoseStateIsReplacedAgainAndAgainIsOpened() {
    Visits unused = apart();
    lost.set(3);

    assertThat(log()).hasSize(4);
    assertThat(reads).hasSizeGreaterThan(2 * 3).endsWith("snapshot");
  }

  @Test
  void whatIsSeenIsNeverOlderThanWhatWasWritten() {
    Visits visits = factoryFixture.one(APART).create("visits", VISITS);

    for (int i = 1; i <= 60; i++) {
      visits.fill(100);

      assertThat(log()).hasSize(i);
    }
  }

  @Test
  void nobodyChangesWhatOthersSee() {
    Visits unused = apart();

    List<String> mine = log();
    mine.clear();

    assertThat(log()).hasSize(4);
  }
}
