package io.ensemble.objects;

import static io.ensemble.objects.FactoryFixture.VISITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.protocol.ProtocolSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Every call ends, whatever user code, stores and executors do. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CallTerminationTest {

  private final FactoryFixture factoryFixture = new FactoryFixture();

  @AfterEach
  void close() {
    factoryFixture.close();
  }

  /** A class with a method that may not return. */
  public static class Sticking {
    static volatile CountDownLatch stuck = new CountDownLatch(0);
    private int count;

    public void stick() {
      while (stuck.getCount() > 0) {
        try {
          stuck.await();
        } catch (InterruptedException e) {
          // Interruption does not end the method.
        }
      }
    }

    public int add() {
      return ++count;
    }
  }

  @Test
  void callsOfAnObjectWhoseMethodDoesNotEndEndInTheirTime() {
    ObjectType<Sticking> type = ObjectType.of(Sticking.class);
    factoryFixture.one().create("sticking", type);
    AtomicObjectFactory factory =
        factoryFixture.one(ProtocolSettings.DEFAULT, Duration.ofSeconds(4), Duration.ofSeconds(1));
    Sticking sticking = factory.open("sticking", type);
    Sticking.stuck = new CountDownLatch(1);

    assertThatThrownBy(sticking::stick).isInstanceOf(AtomicObjectException.CallUnknown.class);
    assertThatThrownBy(sticking::add).isInstanceOf(AtomicObjectException.CallUnknown.class);

    Sticking.stuck.countDown();
    factory.close(sticking);
    assertThat(factoryFixture.one().open("sticking", type).add()).isEqualTo(1);
  }

  @Test
  void continuationsMayCallAndWait() {
    AtomicObjectFactory factory = factoryFixture.one();
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    List<Visits> objects = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      objects.add(factory.create("visits" + i, VISITS));
    }

    for (Visits visits : objects) {
      calls.add(
          factory
              .async(visits, v -> v.visit("a"))
              .thenApply(first -> visits.visit("b"))
              .toCompletableFuture());
    }

    assertThat(calls).allSatisfy(c -> assertThat(c.join()).isEqualTo(2));
  }

  @Test
  void callsAfterTheFactoryWasClosedAreRefusedEachTime() {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");

    factory.close();

    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> visits.visit("b"))
          .isInstanceOf(AtomicObjectException.CallRefused.class);
      assertThatThrownBy(visits::count).isInstanceOf(AtomicObjectException.CallRefused.class);
      assertThatThrownBy(factory.async(visits, v -> v.visit("c")).toCompletableFuture()::join)
          .hasCauseInstanceOf(AtomicObjectException.CallRefused.class);
    }
    assertThatThrownBy(() -> factory.exists("visits")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anExecutorThatWasShutDownHoldsUpNobody() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(factoryFixture.store).executor(executor).build();
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");
    executor.shutdown();
    executor.awaitTermination(5, TimeUnit.SECONDS);

    assertThat(visits.visit("b")).isEqualTo(2);
    assertThat(visits.visit("c")).isEqualTo(3);

    factory.close();
  }

  @Test
  void callsUnderWayEndWhenTheFactoryIsClosedByAnInterruptedThread() {
    AtomicObjectFactory factory =
        factoryFixture.one(ProtocolSettings.DEFAULT, Duration.ofSeconds(5), Duration.ofMillis(100));
    Visits visits = factory.create("visits", VISITS);
    visits.visit("a");
    factoryFixture.store.down(true);
    CompletableFuture<Integer> under =
        factory.async(visits, v -> v.visit("b")).toCompletableFuture();

    Thread.currentThread().interrupt();
    factory.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(under::join).isInstanceOf(Exception.class);
    factoryFixture.store.down(false);
  }

  @Test
  void aCallToASilentStoreFails() {
    AtomicObjectFactory factory =
        factoryFixture.one(
            ProtocolSettings.DEFAULT, Duration.ofMillis(500), Duration.ofMillis(100));
    factoryFixture.store.down(true);

    assertThatThrownBy(() -> factory.openOrCreate("visits", VISITS))
        .isInstanceOf(AtomicObjectException.StoreUnavailable.class);
    assertThatThrownBy(() -> factory.dispose("visits"))
        .isInstanceOf(AtomicObjectException.StoreUnavailable.class);

    factoryFixture.store.down(false);
  }

  @Test
  void aFactoryThatIsClosedAtOnceLeavesNoListener() {
    for (int i = 0; i < 50; i++) {
      AtomicObjectFactory factory = factoryFixture.one();
      factory.openOrCreateAsync("visits", VISITS);
      factory.close();
    }

    factoryFixture.awaitWatchers(0);
  }
}
