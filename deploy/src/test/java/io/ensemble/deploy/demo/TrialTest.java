package io.ensemble.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The demonstration's checks pass on a good map, and each kind of lie makes them fail. */
class TrialTest {

  private static final List<Order> ORDERS = Orders.of(1, 0, 40);

  @Test
  void aGoodMapPasses() {
    try (Trial trial = trial(new ConcurrentHashMap<>(), Duration.ZERO)) {
      trial.write(ORDERS);

      assertThat(trial.work(ORDERS)).isEqualTo(new Tally(80, 60, 160));
      assertThat(trial.readAll()).isEqualTo(trial.entries()).isEqualTo(60);
      assertThat(trial.lateReads()).isZero();
    }
  }

  @Test
  void aLostWriteIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public Order put(String key, Order order) {
            return key.equals("order:7") ? null : super.put(key, order);
          }
        });
  }

  @Test
  void aStaleReadIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          private final AtomicInteger writes = new AtomicInteger();

          @Override
          public Order put(String key, Order order) {
            boolean forgotten = order.state().equals("paid") && writes.incrementAndGet() == 20;
            return forgotten ? null : super.put(key, order);
          }
        });
  }

  @Test
  void aConditionThatIsMetTwiceIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public boolean replace(String key, Order old, Order fresh) {
            super.put(key, fresh);
            return true;
          }
        });
  }

  @Test
  void aRefusedConditionThatHeldIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public boolean replace(String key, Order old, Order fresh) {
            return false;
          }
        });
  }

  @Test
  void aRemovedEntryThatComesBackIsFound() {
    failsOn(
        new ConcurrentHashMap<>() {
          @Override
          public Order remove(Object key) {
            return null;
          }
        });
  }

  @Test
  void anEntryThatIsGoneIsFoundByReadingAll() {
    ConcurrentMap<String, Order> cache = new ConcurrentHashMap<>();
    try (Trial trial = trial(cache, Duration.ZERO)) {
      trial.write(ORDERS);
      cache.remove("order:3");

      assertThatThrownBy(trial::readAll)
          .isInstanceOf(VerificationFailure.class)
          .hasMessageContaining("found null")
          .hasMessageContaining("key=order:3");
    }
  }

  @Test
  void aFailureOfTheCacheIsNotTakenForAnAnswer() {
    ConcurrentMap<String, Order> down =
        new ConcurrentHashMap<>() {
          @Override
          public Order get(Object key) {
            throw new IllegalStateException("down");
          }
        };
    try (Trial trial = trial(down, Duration.ZERO)) {
      trial.write(ORDERS);

      assertThatThrownBy(trial::readAll).hasMessage("down");
    }
  }

  @Test
  void patienceForgivesWhatArrivesLateAndCountsIt() {
    AtomicInteger reads = new AtomicInteger();
    ConcurrentMap<String, Order> slow =
        new ConcurrentHashMap<>() {
          @Override
          public Order get(Object key) {
            return reads.incrementAndGet() % 3 == 0 ? super.get(key) : null;
          }
        };
    try (Trial trial = new Trial("slow", slow, 1, Duration.ofSeconds(20))) {
      trial.write(ORDERS);

      assertThat(trial.readAll()).isEqualTo(40);
      assertThat(trial.lateReads()).isEqualTo(40);
    }
  }

  private static void failsOn(ConcurrentMap<String, Order> cache) {
    try (Trial trial = trial(cache, Duration.ZERO)) {
      trial.write(ORDERS);

      assertThatThrownBy(
              () -> {
                trial.work(ORDERS);
                trial.readAll();
              })
          .isInstanceOf(VerificationFailure.class);
    }
  }

  private static Trial trial(ConcurrentMap<String, Order> cache, Duration patience) {
    return new Trial("orders", cache, 4, patience);
  }
}
