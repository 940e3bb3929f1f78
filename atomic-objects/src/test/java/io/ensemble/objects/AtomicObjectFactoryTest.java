package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.course.Layout;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.value.StateCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AtomicObjectFactoryTest {

  /** As a user would write it. */
  public static class Visits {
    private int count;
    private List<String> log = new ArrayList<>();

    public int visit(String who) {
      count++;
      log.add(who);
      return count;
    }

    public void fill(int length) {
      log.add("x".repeat(length));
    }

    public void clear() {
      log.clear();
    }

    public int failing() {
      count += 100;
      throw new IllegalStateException("no more than " + count);
    }

    public int random() {
      count = ThreadLocalRandom.current().nextInt();
      return count;
    }

    @ReadOnly
    public int count() {
      return count;
    }

    @ReadOnly
    public List<String> log() {
      return log;
    }

    @ReadOnly
    public int lying() {
      return ++count;
    }
  }

  private static final ObjectType<Visits> VISITS = ObjectType.of(Visits.class);

  private final MemoryStore store = new MemoryStore(1);
  private final List<AtomicObjectFactory> factories = new ArrayList<>();

  private AtomicObjectFactory factory() {
    return factory(Layout.DEFAULT);
  }

  private AtomicObjectFactory factory(Layout layout) {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .layout(layout)
            .timeout(Duration.ofSeconds(20))
            .requestTimeout(Duration.ofMillis(200))
            .build();
    factories.add(factory);
    return factory;
  }

  @AfterEach
  void close() {
    factories.forEach(AtomicObjectFactory::close);
    store.close();
  }

  @Test
  void anObjectOfAnyClassIsShared() {
    Visits here = factory().create("visits", VISITS);
    Visits there = factory().open("visits", VISITS);

    assertThat(here.visit("a")).isEqualTo(1);
    assertThat(there.visit("b")).isEqualTo(2);
    assertThat(here.count()).isEqualTo(2);
    assertThat(here.log()).containsExactly("a", "b");
  }

  @Test
  void theStateOutlivesAllThatHadItOpen() {
    AtomicObjectFactory first = factory();
    first.create("visits", VISITS).visit("a");
    first.close();

    assertThat(factory().open("visits", VISITS).log()).containsExactly("a");
  }

  @Test
  void everyCallIsAppliedOnceWhateverIsLost() {
    everyCallOnce(Layout.DEFAULT);
  }

  @Test
  void everyCallIsAppliedOnceAlsoWhereTheStateIsStoredByItself() {
    everyCallOnce(Layout.DEFAULT.inlineBytes(50).tailBytes(200));
  }

  private void everyCallOnce(Layout layout) {
    store.faults(10);
    factory(layout).openOrCreate("visits", VISITS);
    List<CompletionStage<Integer>> calls = new ArrayList<>();
    for (int f = 0; f < 3; f++) {
      AtomicObjectFactory factory = factory(layout);
      Visits visits = factory.open("visits", VISITS);
      for (int i = 0; i < 200; i++) {
        String who = f + ":" + i;
        calls.add(factory.async(visits, v -> v.visit(who)));
      }
    }

    List<Integer> results =
        calls.stream().map(c -> c.toCompletableFuture().join()).sorted().toList();

    store.faults(0);
    assertThat(new HashSet<>(results)).hasSize(600);
    assertThat(results.get(599)).isEqualTo(600);
    assertThat(factory().open("visits", VISITS).log()).hasSize(600).doesNotHaveDuplicates();
  }

  @Test
  void whatAMethodThrowsReachesItsCaller() {
    Visits here = factory().create("visits", VISITS);
    Visits there = factory().open("visits", VISITS);

    assertThatThrownBy(here::failing)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no more than 100");

    assertThat(here.count()).isEqualTo(100);
    assertThat(there.count()).isEqualTo(100);
  }

  @Test
  void namesAndTypesAreChecked() {
    AtomicObjectFactory factory = factory();
    factory.create("visits", VISITS);

    assertThatThrownBy(() -> factory.create("visits", VISITS))
        .isInstanceOf(AtomicObjectException.ObjectExists.class);
    assertThatThrownBy(() -> factory.open("nothing", VISITS))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThatThrownBy(() -> factory.open("visits", VISITS.named("other")))
        .isInstanceOf(AtomicObjectException.OtherType.class);
    assertThatThrownBy(() -> factory.create("", VISITS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> factory.create("x".repeat(1001), VISITS))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anObjectThatIsDisposedOfIsGoneForAll() {
    AtomicObjectFactory factory = factory();
    Visits here = factory.create("visits", VISITS);
    here.visit("a");

    assertThat(factory().dispose("visits")).isTrue();

    assertThatThrownBy(() -> here.visit("b"))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThat(factory.exists("visits")).isFalse();
    assertThat(factory.dispose("visits")).isFalse();
    assertThat(factory.create("visits", VISITS).visit("c")).isEqualTo(1);
  }

  @Test
  void closingIsForOneHandleAndTwiceIsHarmless() {
    AtomicObjectFactory factory = factory();
    Visits first = factory.create("visits", VISITS);
    Visits second = factory.open("visits", VISITS);

    factory.close(first);
    factory.close(first);

    assertThat(second.visit("a")).isEqualTo(1);
    assertThatThrownBy(() -> first.visit("b"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);
  }

  @Test
  void whatNobodyHasOpenCostsNoListener() {
    AtomicObjectFactory factory = factory();
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");
    assertThat(store.watchers()).isEqualTo(1);

    factory.close(visits);

    org.assertj.core.api.Assertions.assertThat(store)
        .satisfies(
            s -> {
              long until = System.nanoTime() + 5_000_000_000L;
              while (s.watchers() > 0 && System.nanoTime() < until) {
                Thread.onSpinWait();
              }
              assertThat(s.watchers()).isZero();
            });
  }

  @Test
  void aStateOverTheLimitIsNotMade() {
    Visits visits = factory(Layout.DEFAULT.stateBytes(2000)).create("visits", VISITS);
    visits.fill(1000);

    assertThatThrownBy(() -> visits.fill(1500))
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("at most 2000");

    assertThat(visits.log()).hasSize(1);
    visits.clear();
    visits.fill(1500);
  }

  @Test
  void aMethodThatReplicasWouldDisagreeAboutIsFound() {
    Visits visits = factory(Layout.DEFAULT.comparing(true)).create("visits", VISITS);

    assertThatThrownBy(visits::random)
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("more than state and arguments");
    assertThatThrownBy(visits::lying)
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("read-only");

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void aReadOnlyMethodThatLiesChangesNothingForOthers() {
    Visits visits = factory().create("visits", VISITS);

    visits.lying();

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void anObjectThatCannotBeReadHereIsQuarantinedAndOthersGoOn() {
    AtomicObjectFactory factory = factory();
    StateCodec<Visits> broken =
        new StateCodec<>() {
          @Override
          public byte[] write(Visits state) {
            return new byte[0];
          }

          @Override
          public Visits read(byte[] bytes) {
            throw new IllegalArgumentException("of a later version");
          }
        };
    Visits fine = factory.create("fine", VISITS);
    factory.create("visits", VISITS).visit("a");
    Visits there = factory().open("visits", VISITS.codec(broken));

    assertThatThrownBy(() -> there.visit("b"))
        .isInstanceOf(AtomicObjectException.ObjectUnreadable.class)
        .hasMessageContaining("of a later version");
    assertThat(fine.visit("c")).isEqualTo(1);
    assertThat(factory().open("visits", VISITS).visit("d")).isEqualTo(2);
  }

  @Test
  void aStoreThatDoesNotAnswerMakesCallsUnknownOrRefused() {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .timeout(Duration.ofSeconds(1))
            .requestTimeout(Duration.ofMillis(100))
            .build();
    factories.add(factory);
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");
    CompletableFuture<Integer> under;

    store.down(true);
    under = factory.async(visits, v -> v.visit("b")).toCompletableFuture();

    assertThatThrownBy(under::join).hasCauseInstanceOf(AtomicObjectException.CallUnknown.class);
    assertThatThrownBy(() -> visits.visit("c"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);
    assertThatThrownBy(visits::count).isInstanceOf(AtomicObjectException.CallRefused.class);
    store.down(false);
    assertThat(visits.visit("d")).isEqualTo(3);
  }

  /** Holds another object. */
  public static class Holder {
    private Visits visits;

    public void hold(Visits held) {
      visits = held;
    }

    public void nested() {
      visits.visit("from inside");
    }

    @ReadOnly
    public Visits held() {
      return visits;
    }
  }

  @Test
  void aFieldThatHoldsAnObjectRefersToIt() {
    AtomicObjectFactory factory = factory();
    Visits visits = factory.create("visits", VISITS);
    Holder holder = factory.create("holder", ObjectType.of(Holder.class));
    holder.hold(visits);
    visits.visit("a");

    Visits held = factory().open("holder", ObjectType.of(Holder.class)).held();

    assertThat(held.visit("b")).isEqualTo(2);
    assertThat(visits.log()).containsExactly("a", "b");
    assertThat(holder.held()).isEqualTo(visits);
    assertThatThrownBy(holder::nested).isInstanceOf(NestedCallException.class);
  }

  @Test
  void sequentialReadsAskTheStoreNothing() {
    AtomicObjectFactory factory = factory();
    factory.create("visits", VISITS);
    Visits visits = factory.openSequential("visits", VISITS);
    visits.visit("a");
    store.down(true);

    assertThat(visits.count()).isEqualTo(1);

    store.down(false);
  }

  @Test
  void nothingIsLeftBesideAnObjectThatIsDisposedOf() {
    AtomicObjectFactory factory = factory(Layout.DEFAULT.inlineBytes(10).tailBytes(10));
    Visits visits = factory.create("visits", VISITS);
    for (int i = 0; i < 50; i++) {
      visits.visit("someone");
    }
    assertThat(store.entries().keySet()).anyMatch(k -> k.startsWith("snapshot/"));
    assertThat(store.entries()).hasSizeLessThan(4);

    factory.dispose("visits");

    long until = System.nanoTime() + 5_000_000_000L;
    while (store.entries().size() > 1 && System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    assertThat(store.entries()).hasSize(1);
  }
}
