package io.ensemble.objects;

import static io.ensemble.objects.Factories.VISITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.drive.Awaited;
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

  private final Factories factories = new Factories();

  @AfterEach
  void close() {
    factories.close();
  }

  private long snapshots() {
    return factories.store.entries().keySet().stream()
        .filter(k -> k.startsWith("snapshot/"))
        .count();
  }

  @Test
  void processesWithDifferentSizesShareAnObject() {
    AtomicObjectFactory reader = factories.one();
    Visits large = factories.one().create("visits", VISITS);
    Visits small = factories.one().open("visits", SMALL);

    for (int i = 1; i <= 60; i++) {
      Visits writer = i % 3 == 0 ? large : small;
      writer.fill(40);

      assertThat(large.log()).hasSize(i);
      assertThat(small.log()).hasSize(i);
      assertThat(Awaited.<List<String>>toItsEnd(reader.glance("visits", VISITS, Visits::log)))
          .hasSize(i);
    }

    assertThat(snapshots()).isPositive();
  }

  @Test
  void sizesAreOfTheTypeThatTheWriterHasOpened() {
    Visits large = factories.one().create("large", VISITS);
    Visits small = factories.one().create("small", SMALL);

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
            new MuteStore(factories.store) {
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
    AtomicObjectFactory reader = factories.one();
    Visits visits = factories.one().create("visits", VISITS);
    visits.visit("a");

    Sighted<Visits> first = sighted(reader, null);
    Sighted<Visits> again = sighted(reader, first);
    visits.visit("b");
    Sighted<Visits> changed = sighted(reader, again);

    assertThat(again).isSameAs(first);
    assertThat(changed.state().log()).containsExactly("a", "b");
    assertThat(first.state().log()).containsExactly("a");
  }

  /** As stores do of which a node dies at the wrong moment. */
  @Test
  void aStepThatTheStoreHasLostIsNotTakenForTheNextOneOfItsNumber() {
    AtomicObjectFactory reader = factories.one();
    Visits visits = factories.one().create("visits", VISITS);
    visits.visit("a");
    ObjectStore.Entry root = factories.store.entries().get("object/visits");
    visits.visit("lost");
    Sighted<Visits> lost = sighted(reader, null);

    Awaited.toItsEnd(factories.store.put("object/visits", root.value()));
    factories.one().open("visits", VISITS).visit("b");

    assertThat(lost.state().log()).containsExactly("a", "lost");
    assertThat(sighted(reader, lost).state().log()).containsExactly("a", "b");
  }

  @Test
  void aTailThatMayBeLongerThanAnEntryIsNotWaitedFor() {
    Visits visits = factories.one().create("visits", VISITS.sizes(new RootSizes(50, 64 << 20, 1)));
    visits.fill(100);

    for (int i = 0; i < 30; i++) {
      visits.visit("x".repeat(200_000));
      visits.clear();
    }

    assertThat(visits.count()).isEqualTo(30);
  }

  private static Sighted<Visits> sighted(
      AtomicObjectFactory reader, @Nullable Sighted<Visits> before) {
    Optional<Sighted<Visits>> seen = Awaited.toItsEnd(Sighted.of(reader, "visits", VISITS, before));
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
