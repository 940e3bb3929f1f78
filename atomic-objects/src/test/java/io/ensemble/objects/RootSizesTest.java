package io.ensemble.objects;

import static io.ensemble.objects.FactoryFixture.VISITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.store.ObjectStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RootSizesTest {

  private static final ObjectType<Visits> SMALL = VISITS.sizes(new RootSizes(50, 100, 1));

  private final FactoryFixture factoryFixture = new FactoryFixture();

  @AfterEach
  void close() {
    factoryFixture.close();
  }

  private long snapshots() {
    return factoryFixture.store.entries().keySet().stream()
        .filter(k -> k.startsWith("snapshot/"))
        .count();
  }

  @Test
  void processesWithDifferentSizesShareAnObject() {
    AtomicObjectFactory reader = factoryFixture.one();
    Visits large = factoryFixture.one().create("visits", VISITS);
    Visits small = factoryFixture.one().open("visits", SMALL);

    for (int i = 1; i <= 60; i++) {
      Visits writer = i % 3 == 0 ? large : small;
      writer.fill(40);

      assertThat(large.log()).hasSize(i);
      assertThat(small.log()).hasSize(i);
      assertThat(BlockingWait.<List<String>>toItsEnd(reader.glance("visits", VISITS, Visits::log)))
          .hasSize(i);
    }

    assertThat(snapshots()).isPositive();
  }

  @Test
  void sizesAreOfTheTypeThatTheWriterHasOpened() {
    Visits large = factoryFixture.one().create("large", VISITS);
    Visits small = factoryFixture.one().create("small", SMALL);

    for (int i = 0; i < 5; i++) {
      large.fill(100);
    }
    assertThat(snapshots()).isZero();
    for (int i = 0; i < 5; i++) {
      small.fill(100);
    }

    assertThat(snapshots()).isPositive();
  }

  private int written(int tailSteps) {
    AtomicInteger snapshots = new AtomicInteger();
    try (AtomicObjectFactory factory =
        AtomicObjectFactory.on(
            new UnresponsiveStore(factoryFixture.store) {
              @Override
              public CompletionStage<Void> put(String key, byte[] value) {
                snapshots.addAndGet(key.startsWith("snapshot/") ? 1 : 0);
                return super.put(key, value);
              }
            })) {
      ObjectType<Visits> type = VISITS.sizes(new RootSizes(50, 100, tailSteps));
      Visits visits = factory.create("visits " + tailSteps, type);
      for (int i = 0; i < 40; i++) {
        int unused = visits.visit("x".repeat(200));
      }
    }
    return snapshots.get();
  }

  @Test
  void largeCallsDoNotEachHaveTheStateWritten() {
    assertThat(written(1)).isGreaterThan(8);
    assertThat(written(8)).isBetween(3, 6);
  }

  @Test
  void whileAnObjectHasNotChangedALookGivesBackWhatWasSeen() {
    AtomicObjectFactory reader = factoryFixture.one();
    Visits visits = factoryFixture.one().create("visits", VISITS);
    visits.visit("a");

    ObservedState<Visits> first = sighted(reader, null);
    ObservedState<Visits> again = sighted(reader, first);
    visits.visit("b");
    ObservedState<Visits> changed = sighted(reader, again);

    assertThat(again).isSameAs(first);
    assertThat(changed.state().log()).containsExactly("a", "b");
    assertThat(first.state().log()).containsExactly("a");
  }

  /** A store can lose a step like this when one of its nodes dies. */
  @Test
  void aStepThatTheStoreHasLostIsNotTakenForTheNextOneOfItsNumber() {
    AtomicObjectFactory reader = factoryFixture.one();
    Visits visits = factoryFixture.one().create("visits", VISITS);
    visits.visit("a");
    ObjectStore.Entry root = factoryFixture.store.entries().get("object/visits");
    visits.visit("lost");
    ObservedState<Visits> lost = sighted(reader, null);

    BlockingWait.toItsEnd(factoryFixture.store.put("object/visits", root.value()));
    factoryFixture.one().open("visits", VISITS).visit("b");

    assertThat(lost.state().log()).containsExactly("a", "lost");
    assertThat(sighted(reader, lost).state().log()).containsExactly("a", "b");
  }

  @Test
  void aTailThatMayBeLongerThanAnEntryIsNotWaitedFor() {
    Visits visits =
        factoryFixture.one().create("visits", VISITS.sizes(new RootSizes(50, 64 << 20, 1)));
    visits.fill(100);

    for (int i = 0; i < 30; i++) {
      visits.visit("x".repeat(200_000));
      visits.clear();
    }

    assertThat(visits.count()).isEqualTo(30);
  }

  private static ObservedState<Visits> sighted(
      AtomicObjectFactory reader, @Nullable ObservedState<Visits> before) {
    Optional<ObservedState<Visits>> seen =
        BlockingWait.toItsEnd(ObservedState.of(reader, "visits", VISITS, before));
    return seen.orElseThrow();
  }

  @Test
  void sizesAreAboveZeroAndPartOfTheType() {
    assertThatThrownBy(() -> new RootSizes(1, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tailBytes=0");
    assertThat(SMALL).isNotEqualTo(VISITS);
    assertThat(SMALL.named("other").sizes()).isEqualTo(SMALL.sizes());
    assertThat(VISITS.sizes()).isNull();
  }
}
